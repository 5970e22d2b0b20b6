#include "cli/commands/play/known_project.h"

#include "cli/commands/play/project_root.h"
#include "cli/fields.h"
#include "wire/play/operations.h"
#include "wire/word.h"

namespace drover::cli {
namespace {

using boost::json::object;

bool is_directory(const std::string& typed) {
  return typed.empty() || typed == "." || typed == ".." || typed.find('/') != std::string::npos;
}

}  // namespace

Result<object> add_project(Context& context, const std::string& directory) {
  const auto root = project_root(directory);
  if (!root) return std::unexpected(root.error());
  return context.client.ask(wire::play::add,
                            {.body = json_text(object{{"root", wire::word_of(*root)}})});
}

Result<std::string> known_project(Context& context, const std::string& typed) {
  if (!is_directory(typed)) return typed;
  const auto root = project_root(typed);
  if (!root) return std::unexpected(root.error());
  const auto answer = context.client.ask(wire::play::list, {});
  if (!answer) return std::unexpected(answer.error());
  const boost::json::value wanted = wire::word_of(*root);
  for (const boost::json::value& project : array_in(*answer, "projects")) {
    if (!project.is_object()) continue;
    const auto* known = project.get_object().if_contains("root");
    if (known != nullptr && *known == wanted) return text_in(project.get_object(), "project");
  }
  return fail(
      ErrorCode::not_found, "not_found",
      "this project is not registered; `drover play` plays it, `drover project add` registers "
      "it",
      "project");
}

Result<std::string> project_to_play(Context& context, const std::string& typed) {
  // Only the owner may register a project. A caller who may only play it finds it registered.
  auto known = known_project(context, typed);
  if (known || known.error().reason != "not_found") return known;
  const auto project = add_project(context, typed);
  if (!project) return std::unexpected(project.error());
  return text_in(*project, "project");
}

}  // namespace drover::cli
