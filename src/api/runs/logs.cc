#include "api/runs/logs.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/http/target.h"
#include "api/stream/byte_range.h"
#include "api/stream/event_text.h"
#include "base/output_file.h"
#include "base/output_tail.h"
#include "queries/output_pieces.h"
#include "queries/resolve.h"

namespace drover::api {
namespace {

struct LogRequest {
  Stream stream = Stream::both;
  std::optional<std::uint64_t> tail;
  std::uint64_t offset = 0;
  size_t limit = limits::kLogReadBytesMax;
  bool ndjson = false;
};

Result<LogRequest> read_wanted(const Query& query) {
  LogRequest wanted;
  auto stream = text_in(query, "stream");
  if (!stream) return std::unexpected(stream.error());
  if (*stream) {
    if (**stream != "stdout" && **stream != "stderr") {
      return fail_invalid("stream", "stream must be stdout or stderr; remove it for both");
    }
    wanted.stream = **stream == "stdout" ? Stream::out : Stream::err;
  }
  auto format = text_in(query, "format");
  if (!format) return std::unexpected(format.error());
  if (*format) {
    if (**format != "raw" && **format != "ndjson") {
      return fail_invalid("format", "format must be raw or ndjson");
    }
    wanted.ndjson = **format == "ndjson";
  }
  auto tail = number_in(query, "tail", 0, INT64_MAX);
  if (!tail) return std::unexpected(tail.error());
  auto offset = number_in(query, "offset", 0, INT64_MAX);
  if (!offset) return std::unexpected(offset.error());
  if (*tail && *offset) return fail_invalid("tail", "give either tail or offset, not both");
  // A limit above the maximum is not an error: Drover-Next-Offset is where to resume.
  auto limit = number_in(query, "limit", 1, INT64_MAX);
  if (!limit) return std::unexpected(limit.error());
  wanted.tail = *tail;
  wanted.offset = offset->value_or(0);
  if (*limit) wanted.limit = static_cast<size_t>(std::min<std::uint64_t>(**limit, wanted.limit));
  return wanted;
}

bool gives(const Query& query, std::string_view name) {
  return std::ranges::any_of(query, [&](const auto& pair) { return pair.first == name; });
}

// The range of a Range header, in an output that ends at `size`. Offsets count the bytes of both
// streams, so a range applies only to the complete output.
Result<std::optional<ByteRange>> range_in(const Request& request, std::uint64_t size) {
  for (const char* other : {"offset", "tail", "limit", "stream", "format"}) {
    if (gives(request.query, other)) return std::nullopt;
  }
  return byte_range(request.range, size);
}

// The first contiguous part of `range` that still exists: a gap of rotated bytes ends it, because
// the answer to a range is contiguous. Sets `range.first` to its beginning and `next` to the offset
// behind it.
std::string contiguous_part(const std::vector<OutputPiece>& pieces, ByteRange& range,
                            std::uint64_t& next) {
  std::string out;
  for (const OutputPiece& piece : pieces) {
    if (piece.is_gap() && out.empty()) continue;
    if (piece.is_gap()) break;
    const bool adjoins = out.empty() || piece.offset == range.first + out.size();
    if (!adjoins || piece.offset > range.last) break;
    if (out.empty()) range.first = piece.offset;
    out += piece.bytes.substr(0, range.last - piece.offset + 1);
  }
  next = range.first + out.size();
  return out;
}

std::string text_of_gap(const OutputPiece& gap) {
  return "from=" + std::to_string(gap.offset) + ", to=" + std::to_string(gap.end());
}

// Joins the pieces up to the first gap behind any of them: the two sides of a gap are never in one
// body. A gap at the beginning or at the end is reported in a header, and `next` is behind it.
void fill_body(Response& response, const std::vector<OutputPiece>& pieces, std::uint64_t& next) {
  for (const OutputPiece& piece : pieces) {
    response.body += piece.bytes;
    if (!piece.is_gap()) continue;
    response.headers.emplace_back("Drover-Gap", text_of_gap(piece));
    if (response.body.empty()) continue;
    next = piece.end();
    return;
  }
}

// The offset at which the last `lines` lines begin. A large output is searched in portions, and
// other requests are handled in between.
asio::awaitable<Result<std::uint64_t>> find_tail(OutputReader& output, std::uint64_t lines,
                                                 Stream stream) {
  TailSearch tail(output, lines, stream);
  while (true) {
    const auto over = tail.search();
    if (!over) co_return std::unexpected(over.error());
    if (*over) co_return tail.begin();
    co_await asio::post(asio::use_awaitable);
  }
}

std::string lines_of(const std::vector<OutputPiece>& pieces) {
  std::string out;
  for (const OutputPiece& piece : pieces) {
    append_json(out, piece, {});
    out += '\n';
  }
  return out;
}

}  // namespace

asio::awaitable<Result<Response>> read_logs(Services& services, Request& request) {
  auto wanted = read_wanted(request.query);
  if (!wanted) co_return std::unexpected(wanted.error());
  auto record = queries::find_run(services.store, request.subject);
  if (!record) co_return std::unexpected(record.error());

  OutputReader output(services.home.run_directory(record->id));
  if (run::is_finished(record->state)) {
    output.expect(static_cast<std::uint64_t>(record->stdout_bytes + record->stderr_bytes));
  }
  std::uint64_t offset = wanted->offset;
  if (wanted->tail) {
    auto begin = co_await find_tail(output, *wanted->tail, wanted->stream);
    if (!begin) co_return std::unexpected(begin.error());
    offset = *begin;
  }
  const auto end = output.size();
  if (!end) co_return std::unexpected(end.error());
  const auto range = range_in(request, *end);
  if (!range) co_return std::unexpected(range.error());
  if (*range) {
    offset = (*range)->first;
    wanted->limit = static_cast<size_t>(
        std::min<std::uint64_t>(wanted->limit, (*range)->last - (*range)->first + 1));
  }
  std::uint64_t next = offset;
  auto pieces = output.read(offset, wanted->limit, wanted->stream, &next);
  if (!pieces) co_return std::unexpected(pieces.error());

  Response response;
  if (wanted->ndjson) {
    // While the run is active, or behind the limit, the rest of a character may follow in the next
    // answer. A limit too small for one character must not hold it back, or the reader would never
    // get past it.
    constexpr size_t kCharacterBytesMax = 4;
    const bool more = run::is_active(record->state) || next < *end;
    const auto incomplete_at =
        queries::join_split_characters(*pieces, more && wanted->limit >= kCharacterBytesMax);
    if (incomplete_at) next = *incomplete_at;
    response.content_type = "application/x-ndjson";
    response.body = lines_of(*pieces);
  } else {
    response.content_type = "application/octet-stream";
    response.headers.emplace_back("Accept-Ranges", "bytes");
    if (!*range) {
      fill_body(response, *pieces, next);
    } else {
      ByteRange told = **range;
      response.body = contiguous_part(*pieces, told, next);
      if (response.body.empty()) {
        co_return fail(ErrorCode::invalid, "range_not_satisfiable",
                       "these bytes are no longer stored; request a later range", "Range");
      }
      response.status = 206;
      const std::string whole = run::is_active(record->state) ? "*" : std::to_string(*end);
      response.headers.emplace_back("Content-Range", "bytes " + std::to_string(told.first) + "-" +
                                                         std::to_string(next - 1) + "/" + whole);
    }
  }
  response.headers.emplace_back("Drover-Next-Offset", std::to_string(next));
  co_return response;
}

}  // namespace drover::api
