#include "queries/output_pieces.h"

#include <algorithm>
#include <string_view>

namespace drover::queries {
namespace {

bool adjoin(const OutputPiece& first, const OutputPiece& second) {
  return !first.is_gap() && !second.is_gap() && first.stream == second.stream &&
         first.end() == second.offset;
}

// How many bytes at the end of `text` begin a character without finishing it.
size_t unfinished(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const auto c = static_cast<unsigned char>(text[text.size() - back]);
    if (c < 0x80) return 0;
    if (c < 0xC0) continue;  // A continuation byte.
    const size_t size = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    return size > back ? back : 0;
  }
  return 0;
}

}  // namespace

std::optional<std::uint64_t> join_split_characters(std::vector<OutputPiece>& pieces, bool more) {
  std::optional<std::uint64_t> incomplete_at;
  for (size_t i = 0; i < pieces.size(); ++i) {
    OutputPiece& piece = pieces[i];
    const size_t rest = unfinished(piece.bytes);
    if (rest == 0) continue;
    if (i + 1 < pieces.size()) {
      OutputPiece& next = pieces[i + 1];
      if (!adjoin(piece, next)) continue;
      next.bytes.insert(0, piece.bytes, piece.bytes.size() - rest);
      next.offset -= rest;
    } else if (more) {
      incomplete_at = piece.offset + piece.bytes.size() - rest;
    } else {
      continue;
    }
    piece.bytes.resize(piece.bytes.size() - rest);
  }
  std::erase_if(pieces,
                [](const OutputPiece& piece) { return piece.bytes.empty() && !piece.is_gap(); });
  return incomplete_at;
}

void merge_neighbors(std::vector<OutputPiece>& pieces, size_t bytes_max) {
  size_t last = 0;
  for (size_t i = 1; i < pieces.size(); ++i) {
    OutputPiece& into = pieces[last];
    if (adjoin(into, pieces[i]) && into.time == pieces[i].time &&
        into.bytes.size() + pieces[i].bytes.size() <= bytes_max) {
      into.bytes += pieces[i].bytes;
    } else if (++last != i) {
      pieces[last] = std::move(pieces[i]);
    }
  }
  if (!pieces.empty()) pieces.resize(last + 1);
}

}  // namespace drover::queries
