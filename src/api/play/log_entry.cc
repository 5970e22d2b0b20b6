#include "api/play/log_entry.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/text.h"
#include "play/limits.h"

namespace drover::api {
namespace {

namespace json = boost::json;

constexpr int kOffsetBits = 50;  // One pebibyte of output per stage.
static_assert(kLogEnd < 8 && kOffsetBits + 3 == 53);

}  // namespace

std::uint64_t seq_of(size_t stage, std::uint64_t offset) {
  return (static_cast<std::uint64_t>(stage) << kOffsetBits) | offset;
}

std::pair<size_t, std::uint64_t> position_of(std::uint64_t seq) {
  return {static_cast<size_t>(seq >> kOffsetBits), seq & ((std::uint64_t{1} << kOffsetBits) - 1)};
}

queries::LineRules line_rules(play::Stage stage) {
  return {.bytes_max = play::kDiagnosticLineBytesMax,
          .by_stream = stage == play::Stage::validation};
}

LogEntry entry_of(play::Stage stage, queries::OutputLine line) {
  if (line.gap_bytes > 0) {
    return {.seq = seq_of(static_cast<size_t>(stage), line.end),
            .source = play::name(stage),
            .severity = play::Severity::warning,
            .time = line.time,
            .text = "… " + grouped(line.gap_bytes) + " bytes not kept …",
            .gap = LogEntry::Gap{.from = line.gap_from, .to = line.gap_from + line.gap_bytes}};
  }
  const bool is_error = line.stream == Stream::err;
  LogEntry entry{.seq = seq_of(static_cast<size_t>(stage), line.end),
                 .source = play::name(stage),
                 .severity = is_error ? play::Severity::error : play::Severity::info,
                 .stream = line.stream,
                 .time = line.time,
                 .text = std::move(line.text)};
  if (stage == play::Stage::validation && !line.part) {
    entry.diagnostic = play::read_diagnostic(entry.text);
  }
  if (entry.diagnostic) {
    entry.severity = entry.diagnostic->severity;
    entry.text = play::as_text(*entry.diagnostic);
  }
  return entry;
}

std::string text_of(const LogEntry& entry) {
  json::object out{{"seq", entry.seq},
                   {"source", entry.source},
                   {"severity", play::name(entry.severity)},
                   {"stream", entry.stream == Stream::err ? "stderr" : "stdout"},
                   {"time", rfc3339(entry.time)}};
  if (is_utf8(entry.text)) {
    out["text"] = entry.text;
  } else {
    out["base64"] = base64(entry.text);
  }
  if (entry.diagnostic) {
    json::object found{{"severity", play::name(entry.diagnostic->severity)},
                       {"message", entry.diagnostic->message},
                       {"blocking", entry.diagnostic->blocking}};
    if (!entry.diagnostic->file.empty()) found["file"] = entry.diagnostic->file;
    if (entry.diagnostic->line) found["line"] = *entry.diagnostic->line;
    out["diagnostic"] = std::move(found);
  }
  if (!entry.code.empty()) out["code"] = entry.code;
  if (entry.gap) out["gap"] = {{"from", entry.gap->from}, {"to", entry.gap->to}};
  return json::serialize(out);
}

}  // namespace drover::api
