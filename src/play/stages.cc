#include "play/stages.h"

#include "play/kinds.h"
#include "play/limits.h"
#include "play/project.h"
#include "play/setup.h"

namespace drover::play {
namespace {

using MadeSpec = Result<std::optional<run::Spec>>;

// drover.toml has another id now: the owner must say which of the two projects to play.
std::unexpected<Error> id_changed(const std::string& now, const std::string& id) {
  return fail(ErrorCode::conflict, "project_elsewhere",
              "the id in drover.toml is now " + now +
                  "; remove the old id with `drover project rm " + id + "`, then play it again",
              "project");
}

MadeSpec step_spec(Stage stage, const ProjectPlace& place) {
  const auto project = load_project(place.root);
  if (!project) return std::unexpected(project.error());
  if (project->id != place.id) return id_changed(project->id, place.id);
  const auto& step = stage == Stage::build        ? project->build
                     : stage == Stage::validation ? project->validate
                                                  : project->pack;
  if (!step) return std::nullopt;
  run::Spec spec;
  spec.argv = step->argv;
  spec.shell = step->shell;
  spec.env = step->env;
  spec.timeout_ms = step->timeout_ms;
  spec.cwd = step->cwd.empty() ? place.root : place.root + "/" + step->cwd;
  spec.kind = kStep;
  return spec;
}

MadeSpec manifest_spec(const ProjectPlace& place) {
  run::Spec spec;
  spec.argv = {place.programs + "/droverd", "--manifest", place.root};
  spec.cwd = place.root;
  spec.kind = kStep;
  spec.timeout_ms = kManifestMs;
  return spec;
}

MadeSpec runtime_spec(const ProjectPlace& place) {
  auto path = find_runtime(place.root);
  if (!path) return std::unexpected(path.error());
  run::Spec spec;
  spec.argv = {std::move(*path), "run", "build"};  // P3: exactly this command.
  spec.cwd = place.root;
  spec.kind = kRuntime;
  spec.grace_ms = 0;
  return spec;
}

}  // namespace

Result<std::optional<run::Spec>> spec_of(Stage stage, const ProjectPlace& project) {
  auto spec = stage == Stage::manifest  ? manifest_spec(project)
              : stage == Stage::runtime ? runtime_spec(project)
                                        : step_spec(stage, project);
  if (spec && *spec) (*spec)->lane = kLane;
  return spec;
}

}  // namespace drover::play
