#include "cli/commands/inbox/own_run.h"

#include <cstdlib>

#include "base/clock.h"
#include "base/id.h"
#include "base/run_mark.h"
#include "base/spool.h"
#include "cli/fields.h"

namespace drover::cli {

Result<std::string> own_run(std::string_view doing) {
  const char* run = std::getenv(kRunVariable);
  if (run != nullptr && *run != 0) return run;
  const std::string verb(doing);
  return fail(ErrorCode::invalid, "not_in_a_run",
              "DROVER_RUN_ID is not set: only a command that Drover has started can " + verb +
                  "; start one with `drover run`");
}

bool is_away(const Error& error) {
  return may_come_back(error) || error.reason == "socket_missing";
}

std::string new_message_key() {
  return random_hex(32);
}

Result<std::optional<boost::json::object>> send_or_spool(Context& context, const Message& message) {
  auto answer = context.client.ask(*message.operation, {.segment = message.run,
                                                        .body = json_text(message.body),
                                                        .key = message.key,
                                                        .at_once = true});
  if (answer) return std::optional(std::move(*answer));
  if (!is_away(answer.error())) return std::unexpected(answer.error());
  const auto id = RunId::parse(message.run);
  if (!id) return std::unexpected(answer.error());
  const boost::json::object file{{"operation", message.operation->name},
                                 {"at", rfc3339(SystemClock{}.wall_ms())},
                                 {"body", message.body}};
  const auto spooled =
      add_to_spool(context.home, {.run = *id, .key = message.key}, json_text(file));
  if (!spooled) return std::unexpected(spooled.error());
  return std::nullopt;
}

}  // namespace drover::cli
