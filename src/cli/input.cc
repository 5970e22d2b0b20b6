#include "cli/input.h"

#include "base/limits.h"
#include "cli/fields.h"
#include "wire/operations/runs.h"

namespace drover::cli {

Result<size_t> offer_input(Client& client, const std::string& run, std::string_view bytes,
                           const std::optional<TerminalSize>& at) {
  Call call{.segment = run, .body = std::string(bytes.substr(0, limits::kInputBytesMax))};
  if (at) {
    call.query = {{"rows", std::to_string(at->rows)}, {"cols", std::to_string(at->columns)}};
  }
  const auto answer = client.ask(wire::runs::input, call);
  if (!answer) return std::unexpected(answer.error());
  const auto taken = static_cast<size_t>(number_in(*answer, "accepted").value_or(0));
  if (taken <= call.body.size()) return taken;
  return fail(
      ErrorCode::unavailable, "bad_answer",
      "the daemon reports more bytes than were sent; check `drover status` for its version");
}

Result<> close_input(Client& client, const std::string& run) {
  const auto answer = client.call(wire::runs::input, {.segment = run, .query = {{"eof", "true"}}});
  if (!answer) return std::unexpected(answer.error());
  return {};
}

}  // namespace drover::cli
