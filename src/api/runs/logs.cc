#include "api/runs/logs.h"

#include <algorithm>

#include "api/ask.h"
#include "api/http/target.h"
#include "api/remember_reader.h"
#include "api/runs/find.h"
#include "api/runs/gap_header.h"
#include "api/stream/byte_range.h"
#include "api/stream/event_text.h"
#include "base/output_file.h"
#include "base/output_tail.h"
#include "queries/output_pieces.h"

namespace drover::api {
namespace {

struct LogRequest {
  Stream stream = Stream::both;
  std::optional<std::uint64_t> tail;
  std::uint64_t offset = 0;
  size_t limit = limits::kLogReadBytesMax;
  bool ndjson = false;
  std::string range_header = {};  // Empty: there is none, or it does not apply.

  // The range of the header, in an output that ends at `size`.
  Result<std::optional<ByteRange>> range(std::uint64_t size) const {
    return byte_range(range_header, size);
  }
};

bool gives(const Query& query, std::string_view name) {
  return std::ranges::any_of(query, [&](const auto& pair) { return pair.first == name; });
}

// Offsets count the bytes of both streams, so a range applies only to the complete output.
std::string_view range_in(const Request& request) {
  for (const char* other : {"offset", "tail", "limit", "stream", "format"}) {
    if (gives(request.query, other)) return {};
  }
  return request.range;
}

Result<LogRequest> read_wanted(const Request& request) {
  const Query& query = request.query;
  LogRequest wanted;
  wanted.range_header = range_in(request);
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

// Fills the body with the first contiguous part of `range` that still exists: a gap of rotated
// bytes ends it, because the answer to a range is contiguous. Gaps before and after it are reported
// in headers. Sets `range` to the part, and `next` to the offset after it and its gap.
void fill_range(Response& response, const std::vector<OutputPiece>& pieces, ByteRange& range,
                std::uint64_t& next) {
  std::string& body = response.body;
  for (const OutputPiece& piece : pieces) {
    if (piece.offset > range.last) break;
    if (piece.is_gap()) {
      add_gap(response, {.from = piece.offset, .to = piece.end()});
      next = piece.end();
      if (body.empty()) continue;
      break;
    }
    if (!body.empty() && piece.offset != range.first + body.size()) break;
    if (body.empty()) range.first = piece.offset;
    body += piece.bytes.substr(0, range.last - piece.offset + 1);
    next = range.first + body.size();
  }
  range.last = range.first + body.size() - 1;
}

// Joins the pieces up to the first gap after any of them: the two sides of a gap are never in one
// body. A gap at the beginning or at the end is reported in a header, and `next` is after it.
void fill_body(Response& response, const std::vector<OutputPiece>& pieces, std::uint64_t& next) {
  for (const OutputPiece& piece : pieces) {
    response.body += piece.bytes;
    if (!piece.is_gap()) continue;
    add_gap(response, {.from = piece.offset, .to = piece.end()});
    if (response.body.empty()) continue;
    next = piece.end();
    return;
  }
}

// The offset at which the last `lines` lines begin.
Result<std::uint64_t> find_tail(OutputReader& output, std::uint64_t lines, Stream stream,
                                const work::Turn& turn) {
  TailSearch tail(output, lines, stream);
  while (true) {
    if (auto ok = turn.check(); !ok) return std::unexpected(ok.error());
    const auto over = tail.search();
    if (!over) return std::unexpected(over.error());
    if (*over) return tail.begin();
  }
}

// A line for each piece. As JSON, one byte of output may take a hundred: a long answer ends early,
// and `next` is the offset after it.
std::string lines_of(const std::vector<OutputPiece>& pieces, std::uint64_t& next, bool& is_cut) {
  std::string out;
  for (const OutputPiece& piece : pieces) {
    if (out.size() >= limits::kLogReadBytesMax) {
      next = piece.offset;
      is_cut = true;
      break;
    }
    append_json(out, piece, {});
    out += '\n';
  }
  return out;
}

// Runs beside the loop.
Result<Response> read_output(const Home& home, const run::Record& record, LogRequest wanted,
                             const work::Turn& turn) {
  OutputReader output(home.run_directory(record.id));
  output.check_with([&turn] { return turn.check(); });
  if (run::is_finished(record.state)) {
    output.expect(static_cast<std::uint64_t>(record.stdout_bytes + record.stderr_bytes));
  }
  std::uint64_t offset = wanted.offset;
  if (wanted.tail) {
    auto begin = find_tail(output, *wanted.tail, wanted.stream, turn);
    if (!begin) return std::unexpected(begin.error());
    offset = *begin;
  }
  const auto end = output.size();
  if (!end) return std::unexpected(end.error());
  const auto range = wanted.range(*end);
  if (!range) return std::unexpected(range.error());
  if (*range) {
    offset = (*range)->first;
    wanted.limit = static_cast<size_t>(
        std::min<std::uint64_t>(wanted.limit, (*range)->last - (*range)->first + 1));
  }
  std::uint64_t next = offset;
  using Join = OutputReader::Join;
  const Join join = wanted.ndjson ? Join::none : Join::all;
  auto pieces = output.read(offset, {.bytes = wanted.limit, .join = join}, wanted.stream, &next);
  if (!pieces) return std::unexpected(pieces.error());

  Response response;
  if (wanted.ndjson) {
    // While the run is active, or behind the limit, the rest of a character may follow in the next
    // answer. A limit too small for one character must not hold it back, or the reader would never
    // get past it.
    constexpr size_t kCharacterBytesMax = 4;
    const bool more = run::is_active(record.state) || next < *end;
    const auto incomplete_at =
        queries::join_split_characters(*pieces, more && wanted.limit >= kCharacterBytesMax);
    if (incomplete_at) next = *incomplete_at;
    response.content_type = "application/x-ndjson";
    bool is_cut = output.is_cut();
    response.body = lines_of(*pieces, next, is_cut);
    // Tiny pieces are long as JSON: the answer may end far before the limit.
    if (is_cut && next < *end) response.headers.emplace_back("Drover-More", "true");
  } else {
    response.content_type = "application/octet-stream";
    response.headers.emplace_back("Accept-Ranges", "bytes");
    if (!*range) {
      fill_body(response, *pieces, next);
    } else {
      ByteRange sent = **range;
      fill_range(response, *pieces, sent, next);
      if (response.body.empty()) {
        return fail(ErrorCode::invalid, "range_not_satisfiable",
                    "these bytes are no longer stored; request a later range", "Range");
      }
      response.status = 206;
      const std::string whole = run::is_active(record.state) ? "*" : std::to_string(*end);
      response.headers.emplace_back("Content-Range", "bytes " + std::to_string(sent.first) + "-" +
                                                         std::to_string(sent.last) + "/" + whole);
    }
  }
  response.has_more = next < *end;
  response.headers.emplace_back("Drover-Next-Offset", std::to_string(next));
  return response;
}

}  // namespace

asio::awaitable<Result<Response>> read_logs(Services& services, Request& request) {
  auto wanted = read_wanted(request);
  if (!wanted) co_return std::unexpected(wanted.error());
  auto record = co_await find_run(services, request);
  if (!record) co_return std::unexpected(record.error());
  const RunId id = record->id;
  auto response = co_await work(
      services, request,
      [home = services.home, record = std::move(*record), wanted = std::move(*wanted)](
          const work::Turn& turn) { return read_output(home, record, wanted, turn); });
  remember_reader(services, id, response);
  co_return response;
}

}  // namespace drover::api
