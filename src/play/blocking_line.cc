#include "play/blocking_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>

#include "base/limits.h"
#include "base/output_file.h"
#include "play/diagnostic_scan.h"
#include "play/verdict.h"

namespace drover::play {
namespace {

namespace asio = boost::asio;

PlayChange failed_validation(const Error& error) {
  return failed_by(Happening::preparation_failed, Stage::validation, error);
}

PlayChange unreadable(const Error& error) {
  return failed_validation({error.code, "validation_unreadable",
                            "blocked the pack, because its output cannot be read: " + error.message,
                            ""});
}

PlayChange incomplete() {
  return failed_validation(
      {ErrorCode::exhausted, "validation_incomplete",
       "blocked the pack, because part of its output is missing or mixed with the other "
       "stream, and may be a blocking diagnostic; make it print less, and leave no process "
       "behind",
       ""});
}

// Without a receipt the size of the output is unknown. If the pipes were not read to their end, a
// process that survived may have printed more.
bool was_drained(const run::Record& validation) {
  boost::system::error_code bad;
  const auto receipt = boost::json::parse(validation.receipt, bad);
  if (bad || !receipt.is_object()) return false;
  const auto* drained = receipt.get_object().if_contains("drained");
  return drained != nullptr && drained->is_bool() && drained->get_bool();
}

// One scan for each stream, because the other stream may print in the middle of a line.
class Scans {
 public:
  std::optional<PlayChange> take(const std::vector<OutputPiece>& pieces) {
    for (const OutputPiece& piece : pieces) {
      const bool is_error = piece.stream == Stream::err;
      if (auto found = scans_[is_error ? 1 : 0].take(piece.bytes)) return verdict(*found, is_error);
    }
    return std::nullopt;
  }
  std::optional<PlayChange> end() {
    for (const bool is_error : {false, true}) {
      if (auto found = scans_[is_error ? 1 : 0].end()) return verdict(*found, is_error);
    }
    return std::nullopt;
  }

 private:
  static PlayChange verdict(const BlockingFinding& found, bool is_error) {
    if (found.diagnostic) return blocked(found.diagnostic->message);
    return failed_validation(
        {ErrorCode::invalid, "validation_unreadable",
         fmt::format("blocked the pack, because its diagnostics cannot be read: on "
                     "{}, {}; print each diagnostic as a JSON object of its own",
                     is_error ? "stderr" : "stdout", found.why),
         ""});
  }

  std::array<DiagnosticScan, 2> scans_;
};

}  // namespace

asio::awaitable<std::optional<PlayChange>> find_blocking_line(Home home, run::Record validation) {
  OutputReader output(home.run_directory(validation.id));
  if (!was_drained(validation)) co_return incomplete();
  output.expect(static_cast<std::uint64_t>(validation.stdout_bytes + validation.stderr_bytes));
  Scans scans;
  for (std::uint64_t at = 0;;) {
    const auto pieces = output.read(at, limits::kLogChunkBytes, Stream::both, &at);
    if (!pieces) co_return unreadable(pieces.error());
    if (pieces->empty()) co_return scans.end();
    if (std::ranges::any_of(*pieces, &OutputPiece::is_gap)) co_return incomplete();
    if (std::ranges::any_of(*pieces, &OutputPiece::is_mixed)) co_return incomplete();
    if (auto change = scans.take(*pieces)) co_return change;
    co_await asio::post(asio::use_awaitable);  // Let other coroutines run.
  }
}

}  // namespace drover::play
