#include "play/blocking_line.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/limits.h"
#include "base/output_file.h"
#include "play/diagnostics.h"
#include "play/verdict.h"
#include "queries/output_lines.h"

namespace drover::play {
namespace {

namespace asio = boost::asio;

PlayChange nobody_knows(const Error& error) {
  return failed_by(Happening::preparation_failed, Stage::validation, error);
}

// A diagnostic counts only as a whole line of standard output.
std::optional<PlayChange> blocking_among(const std::vector<queries::OutputLine>& lines) {
  for (const queries::OutputLine& line : lines) {
    if (line.stream != Stream::out || line.part) continue;
    const auto found = read_diagnostic(line.text);
    if (found && found->blocking) return blocked(found->message);
  }
  return std::nullopt;
}

}  // namespace

asio::awaitable<std::optional<PlayChange>> find_blocking_line(Home home, run::Record validation) {
  OutputReader output(home.run_directory(validation.id));
  const auto printed =
      static_cast<std::uint64_t>(validation.stdout_bytes + validation.stderr_bytes);
  const auto whole = output.holds_all(printed);
  const bool lacks = validation.stdout_bytes > 0 && whole && !*whole;
  if (lacks || validation.receipt.empty()) {  // Without a receipt, its size is unknown.
    co_return nobody_knows({ErrorCode::exhausted, "validation_incomplete",
                            "part of its output was dropped, and a dropped line may have blocked "
                            "the pack; make it print less",
                            ""});
  }
  queries::OutputLines lines({.bytes_max = limits::kDiagnosticLineBytesMax, .by_stream = true});
  for (std::uint64_t at = lines.begins();;) {
    const auto pieces = output.read(at, limits::kLogChunkBytes, Stream::both, &at);
    if (!pieces) {
      co_return nobody_knows(
          {pieces.error().code, "validation_unreadable", pieces.error().message, ""});
    }
    if (pieces->empty()) co_return blocking_among(lines.rest());
    if (auto change = blocking_among(lines.take(*pieces))) co_return change;
    co_await asio::post(asio::use_awaitable);  // Let other coroutines run.
  }
}

}  // namespace drover::play
