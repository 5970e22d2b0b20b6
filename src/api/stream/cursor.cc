#include "api/stream/cursor.h"

#include <algorithm>
#include <charconv>

#include "base/limits.h"

namespace drover::api {

namespace {

// ",run_a:4096,run_b:10"; false: something else.
bool read_outputs(const char* at, const char* end, Cursor& cursor) {
  cursor.has_outputs = true;
  while (at != end && at + 1 != end) {
    const std::string_view rest(at + 1, end);
    const size_t colon = rest.find(':');
    if (*at != ',' || colon == std::string_view::npos) return false;
    const auto id = RunId::parse(rest.substr(0, colon));
    std::uint64_t offset = 0;
    const auto [after, bad] = std::from_chars(rest.data() + colon + 1, end, offset);
    if (!id || bad != std::errc{} || cursor.outputs.size() > limits::kOutputRunsMax) return false;
    cursor.outputs.emplace_back(*id, offset);
    at = after;
  }
  return true;
}

}  // namespace

std::uint64_t Cursor::offset_of(const RunId& run) const {
  const auto found = std::ranges::find(outputs, run, &std::pair<RunId, std::uint64_t>::first);
  return found == outputs.end() ? offset : found->second;
}

Result<Cursor> parse_cursor(std::string_view text, std::string_view param) {
  Cursor cursor;
  const char* end = text.data() + text.size();
  auto [at, bad] = std::from_chars(text.data(), end, cursor.seq);
  bool fits = bad == std::errc{} && cursor.seq >= 0;
  if (fits && at != end && *at == '-') {
    const char* const begin = ++at;
    while (at != end && ((*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f'))) ++at;
    cursor.epoch.assign(begin, at);
    fits = !cursor.epoch.empty();
  }
  if (fits && at != end && *at == '.') {
    const auto offset = std::from_chars(at + 1, end, cursor.offset);
    fits = offset.ec == std::errc{};
    at = offset.ptr;
  }
  if (fits && at != end && *at == ',') {
    fits = read_outputs(at, end, cursor);
    at = end;
  }
  if (!fits || at != end) {
    return fail_invalid(std::string(param),
                        "invalid cursor: send a cursor from an answer of Drover");
  }
  return cursor;
}

std::string text_of(std::int64_t seq, const store::Epochs& epochs) {
  std::string text = std::to_string(seq);
  if (const std::string_view epoch = epochs.of(seq); !epoch.empty()) text.append("-").append(epoch);
  return text;
}

std::string text_of(const Cursor& cursor, const store::Epochs& epochs) {
  std::string out = text_of(cursor.seq, epochs);
  if (!cursor.has_outputs) return out + "." + std::to_string(cursor.offset);
  if (cursor.outputs.empty()) return out + ",";
  for (const auto& [run, offset] : cursor.outputs) {
    out.append(",").append(run.view()).append(":").append(std::to_string(offset));
  }
  return out;
}

CursorVerdict judge(const Cursor& cursor, std::int64_t last_seq, const store::Epochs& epochs,
                    std::int64_t compacted_through) {
  const auto verdict = epochs.judge({.seq = cursor.seq, .epoch = cursor.epoch}, last_seq);
  const bool is_compacted = verdict.resume_at < compacted_through;
  if (verdict.valid && !is_compacted) return {.resume_at = cursor};
  Cursor resume_at = cursor;
  resume_at.seq = std::max(verdict.resume_at, compacted_through);
  resume_at.epoch.clear();
  const std::int64_t missed =
      is_compacted ? compacted_through - verdict.resume_at : last_seq - verdict.resume_at;
  return {.lagged = true, .resume_at = std::move(resume_at), .missed = missed};
}

std::string lagged_text(std::int64_t missed, std::string_view cursor) {
  return "{\"missed\":" + std::to_string(missed) + ",\"cursor\":\"" + std::string(cursor) + "\"}";
}

}  // namespace drover::api
