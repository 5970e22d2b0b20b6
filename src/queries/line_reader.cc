#include "queries/line_reader.h"

#include <algorithm>
#include <iterator>

#include "base/limits.h"

namespace drover::queries {

LineReader::LineReader(const Home& home, const RunId& run, LineRules rules, std::uint64_t resume)
    : run_(run), output_(home.run_directory(run)), lines_(rules, resume), at_(lines_.begins()) {}

Result<std::vector<OutputLine>> LineReader::read(store::Reads& store) {
  // Check first whether the run has finished, then read: it prints nothing after it has finished.
  const auto record = store.find(run_);
  if (!record) return std::unexpected(record.error());
  const bool ended = !*record || run::is_finished((*record)->state);
  if (ended && *record) {
    output_.expect(static_cast<std::uint64_t>((*record)->stdout_bytes + (*record)->stderr_bytes));
  }
  constexpr size_t kPortion = 2 * limits::kLogChunkBytes;
  std::vector<OutputLine> lines;
  bool full = true;
  while (lines.empty() && full) {
    auto pieces = output_.read(at_, kPortion, Stream::both, &at_);
    if (!pieces) return std::unexpected(pieces.error());
    full = output_.is_cut();
    lines = lines_.take(*pieces);
  }
  finished_ = ended && !full;
  if (finished_) std::ranges::move(lines_.rest(), std::back_inserter(lines));
  has_more_ = !lines.empty() && (full || finished_);
  return lines;
}

}  // namespace drover::queries
