#include "api/stream/output_source.h"

#include <boost/json/parse.hpp>
#include <optional>

#include "queries/output_pieces.h"

namespace drover::api {

namespace {

// The most that is read on the loop: some 100 µs.
constexpr OutputReader::Bounds kSmall{
    .bytes = limits::kLogChunkBytes, .pieces = 256, .records = 1'024};
// The text of one portion, if its pieces are tiny: each has a cursor.
constexpr size_t kTextMax = 512 * 1024;

}  // namespace

Result<OutputSource::Portion> OutputSource::read(OutputReader& reader, std::uint64_t offset,
                                                 const OutputReader::Bounds& bounds) {
  Portion portion{.pieces = {}, .next = offset};
  auto pieces = reader.read(offset, bounds, Stream::both, &portion.next);
  if (!pieces) return std::unexpected(pieces.error());
  portion.pieces = std::move(*pieces);
  portion.is_cut = reader.is_cut();
  return portion;
}

asio::awaitable<Result<OutputSource::Portion>> OutputSource::next_portion(const Sink& sink) {
  using Join = OutputReader::Join;
  const Join join = sink.format.is_text() ? Join::none : Join::stream;
  if (is_behind_) {
    const OutputReader::Bounds bounds{.bytes = sink.bytes_max, .join = join};
    auto portion = co_await sink.workers.run(
        sink.caller, [reader = reader_, offset = offset_, bounds](const work::Turn& turn) {
          reader->check_with([&turn] { return turn.check(); });
          return OutputSource::read(*reader, offset, bounds);
        });
    reader_->check_with({});  // The turn is over.
    if (portion || portion.error().reason != "overloaded") co_return portion;
    // Progress in small steps is better than an end of the stream.
  }
  OutputReader::Bounds small = kSmall;
  small.join = join;
  co_return read(*reader_, offset_, small);
}

void OutputSource::encode(const Sink& sink, Portion& portion) {
  std::optional<std::uint64_t> incomplete_at;
  if (sink.format.is_text()) {
    // While the run is active, or the file has more, the rest of a character may still come.
    incomplete_at = queries::join_split_characters(portion.pieces, !ended_ || portion.is_cut);
    queries::merge_neighbors(portion.pieces, sink.bytes_max);
  }
  const size_t before = sink.out.size();
  for (const OutputPiece& piece : portion.pieces) {
    if (sink.out.size() - before >= kTextMax + sink.bytes_max) {
      offset_ = piece.offset;
      portion.is_cut = true;
      return;
    }
    offset_ = piece.end();
    sink.format.piece(sink.out, sink.cursor(), piece, run_.view());
  }
  offset_ = incomplete_at.value_or(portion.next);
}

asio::awaitable<Result<bool>> OutputSource::append_to(Sink sink) {
  auto portion = co_await next_portion(sink);
  if (!portion) co_return std::unexpected(portion.error());
  encode(sink, *portion);
  is_behind_ = portion->is_cut;
  co_return portion->is_cut;
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
