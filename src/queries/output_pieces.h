// Prepares pieces of a run's output (base/output_file.h) for display as text. A piece ends where
// one of the command's writes ended, possibly in the middle of a character. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/output_file.h"

namespace drover::queries {

// Moves the beginning of a split character to the following piece, if that piece is of the same
// stream and no byte lies between the two. If `more` output may come, removes an unfinished
// character at the very end and returns its offset: the offset to resume reading at.
std::optional<std::uint64_t> join_split_characters(std::vector<OutputPiece>& pieces, bool more);

// Merges neighboring pieces of one stream and one millisecond into fewer, larger pieces of at most
// `bytes_max`. No byte is lost.
void merge_neighbors(std::vector<OutputPiece>& pieces, size_t bytes_max);

}  // namespace drover::queries
