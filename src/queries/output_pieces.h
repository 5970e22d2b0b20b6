// Pieces of a run's output (base/output_file.h), made fit to be shown as text: pieces are cut where
// the command's writes were, also in the middle of a character. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/output_file.h"

namespace drover::queries {

// Moves the beginning of a character that was cut in two to the piece that follows it, if that is
// of the same stream and no byte lies between them. If `more` may come, an unfinished character at
// the very end is held back and its offset returned: the place to go on.
std::optional<std::uint64_t> join_split_characters(std::vector<OutputPiece>& pieces, bool more);

// Merges neighbours of one stream and one millisecond: fewer, larger pieces of at most `bytes_max`,
// and nothing is lost.
void merge_neighbours(std::vector<OutputPiece>& pieces, size_t bytes_max);

}  // namespace drover::queries
