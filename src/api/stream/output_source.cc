#include "api/stream/output_source.h"

#include <boost/json/parse.hpp>

#include "queries/output_pieces.h"

namespace drover::api {

Result<bool> OutputSource::append_to(const Wish& wish) {
  std::uint64_t next = offset_;
  auto pieces = reader_.read(offset_, wish.bytes_max, Stream::both, &next);
  if (!pieces) return std::unexpected(pieces.error());
  size_t bytes = 0;
  for (const OutputPiece& piece : *pieces) bytes += piece.bytes.size();
  const bool more = bytes >= wish.bytes_max;
  std::optional<std::uint64_t> incomplete_at;
  if (wish.format.is_text()) {
    // While the run is active, or the file has more, the rest of a character may still come.
    incomplete_at = queries::join_split_characters(*pieces, !ended_ || more);
    queries::merge_neighbors(*pieces, wish.bytes_max);
  }
  for (const OutputPiece& piece : *pieces) {
    offset_ = piece.end();
    wish.format.piece(wish.out, wish.cursor(), piece, run_.view());
  }
  offset_ = incomplete_at.value_or(next);
  return more;
}

std::uint64_t printed_by(const run::Event& end) {
  boost::system::error_code bad;
  const boost::json::value data = boost::json::parse(end.data, bad);
  if (bad || !data.is_object()) return 0;
  std::uint64_t printed = 0;
  for (const char* field : {"stdout_bytes", "stderr_bytes"}) {
    const boost::json::value* value = data.get_object().if_contains(field);
    if (value != nullptr && value->is_int64())
      printed += static_cast<std::uint64_t>(value->get_int64());
  }
  return printed;
}

}  // namespace drover::api
