#include "cli/latest_output.h"

#include <algorithm>

#include "base/limits.h"
#include "cli/client/output_page.h"
#include "cli/views/gap_seam.h"
#include "cli/views/run_view.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

// Each gap ends a page. There are few gaps: one where the middle was rotated away, and others only
// on a full disk.
constexpr int kPagesMax = 16;

Result<CallAnswer> page_of(Client& client, const std::string& run, const char* from,
                           std::uint64_t value) {
  return client.call(wire::runs::logs,
                     {.segment = run,
                      .query = {{from, std::to_string(value)},
                                {"limit", std::to_string(limits::kLogChunkBytes)}}});
}

struct Pages {
  std::string text;
  bool at_end = true;
};

// Reads to the end of the output, or to the first page that is full.
Result<Pages> read_pages(Client& client, const std::string& run, Result<CallAnswer> page) {
  Pages out;
  GapSeam seam(
      CutLines::left_out,
      [&](int, std::string_view bytes, bool) -> Result<> {
        out.text += bytes;
        return {};
      },
      [&](const MissingBytes& missing) { out.text += say_gap(missing) + "\n"; });
  seam.hold();
  const auto bytes = [&](std::string_view body) { return seam.pass(1, body); };
  const auto gap = [&](std::uint64_t size) { return seam.gap(size); };
  for (int pages = 1;; ++pages) {
    if (!page) return std::unexpected(page.error());
    if (auto ok = pass_page(*page, bytes, gap); !ok) return std::unexpected(ok.error());
    out.at_end = page->body.size() < limits::kLogChunkBytes;
    if (!out.at_end || page->gaps.empty() || pages == kPagesMax) break;
    page = page_of(client, run, "offset", next_offset_of(*page));
  }
  if (auto ok = seam.finish(); !ok) return std::unexpected(ok.error());
  return out;
}

}  // namespace

Result<std::string> latest_output(Client& client, const std::string& run, size_t rows) {
  Result<Pages> tail = read_pages(client, run, page_of(client, run, "tail", rows));
  if (!tail) return std::unexpected(tail.error());
  if (tail->at_end) return std::move(tail->text);
  const Result<CallAnswer> end = page_of(client, run, "tail", 0);
  if (!end) return std::unexpected(end.error());
  const std::uint64_t size = next_offset_of(*end);
  const std::uint64_t begin = size - std::min<std::uint64_t>(size, limits::kLogChunkBytes);
  Result<Pages> last = read_pages(client, run, page_of(client, run, "offset", begin));
  if (!last) return std::unexpected(last.error());
  return (begin > 0 ? "…" : "") + last->text;  // It begins within a line.
}

}  // namespace drover::cli
