#include "cli/commands/play/commands.h"

#include <array>

#include "cli/commands/play/play_view.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/help/completion.h"
#include "wire/play/operations.h"

namespace drover::cli {
namespace {

constexpr auto kCommands = std::to_array<const Command*>(
    {&kInit, &kPlay, &kPlayStop, &kPlayStatus, &kPlayLog, &kPlayFeed, &kProjectAdd, &kProjectLs,
     &kProjectShow, &kProjectRm, &kProjectManifest});

std::string sentence(const boost::json::object& session) {
  const std::string step = text_in(session, "step");
  return text_in(session, "project") + " is " + text_in(session, "state") +
         (step.empty() ? "" : ", in step " + step);
}

std::string step_of(const boost::json::object& session) {
  return text_in(session, "step");
}

const boost::json::object& runs_of(const boost::json::object& session) {
  return object_in(session, "runs");
}

constexpr auto kPhases = std::to_array<PhaseView>({{.field = "session",
                                                    .title = "play",
                                                    .line = session_line,
                                                    .color = color_of_session,
                                                    .sentence = sentence,
                                                    .child = step_of,
                                                    .children = runs_of}});

}  // namespace

std::span<const Command* const> play_commands() {
  return kCommands;
}

std::span<const PhaseView> play_phases() {
  return kPhases;
}

void offer_projects(Context& context, const CompletionRequest& wanted,
                    std::vector<Candidate>& out) {
  const Result<boost::json::object> answer = context.client.ask(wire::play::list, {});
  if (!answer) return;
  for (const boost::json::value& project : array_in(*answer, "projects")) {
    const std::string id = project.is_object() ? text_in(project.get_object(), "project") : "";
    if (!id.empty() && id.starts_with(wanted.typed)) {
      out.push_back({wanted.before + id, text_in(project.get_object(), "state")});
    }
  }
}

}  // namespace drover::cli
