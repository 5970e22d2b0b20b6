#include "api/execution_log.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/limits.h"
#include "base/text.h"

namespace drover::api {
namespace {

namespace json = boost::json;

constexpr int kOffsetBits = 50;  // A pebibyte of a stage's output.
constexpr size_t kEnd = session::kStages.size();
static_assert(kEnd < 8 && kOffsetBits + 3 == 53);

}  // namespace

std::uint64_t seq_of(size_t stage, std::uint64_t offset) {
  return (static_cast<std::uint64_t>(stage) << kOffsetBits) | offset;
}

std::pair<size_t, std::uint64_t> place_of(std::uint64_t seq) {
  return {static_cast<size_t>(seq >> kOffsetBits), seq & ((std::uint64_t{1} << kOffsetBits) - 1)};
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
  return json::serialize(out);
}

namespace {

// A line that is being put together.
struct Line {
  std::uint64_t offset = 0;
  Stream stream = Stream::out;
  WallMs time = 0;
  std::string bytes = {};
  std::uint64_t end() const { return offset + bytes.size(); }
};

LogEntry entry_of(Line line, session::Stage stage, std::uint64_t end) {
  LogEntry entry{
      .seq = seq_of(static_cast<size_t>(stage), end),
      .source = session::name(stage),
      .severity = line.stream == Stream::err ? play::Severity::error : play::Severity::info,
      .stream = line.stream,
      .time = line.time,
      .text = std::move(line.bytes)};
  if (stage != session::Stage::validation || line.stream != Stream::out) return entry;
  entry.diagnostic = play::read_diagnostic(entry.text);
  if (entry.diagnostic) {
    entry.severity = entry.diagnostic->severity;
    entry.text = play::as_text(*entry.diagnostic);
  }
  return entry;
}

// Where to cut a line that is too long: between two characters, if it has any.
size_t cut_in(std::string_view text, size_t most) {
  size_t cut = most;
  while (cut + 4 > most && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return cut;
}

}  // namespace

std::vector<LogEntry> lines_in(const std::vector<OutputPiece>& pieces, session::Stage stage,
                               bool more, std::uint64_t& next) {
  constexpr size_t kMost = limits::kDiagnosticLineBytesMax;
  std::vector<LogEntry> out;
  std::optional<Line> line;
  const auto finish = [&](std::uint64_t end) {
    out.push_back(entry_of(std::move(*line), stage, end));
    line.reset();
    next = end;
  };
  for (const OutputPiece& piece : pieces) {
    // The other stream breaks into a line as it does on a terminal.
    if (line && (line->stream != piece.stream || line->end() != piece.offset)) finish(line->end());
    std::uint64_t at = piece.offset;
    std::string_view rest = piece.bytes;
    while (!rest.empty()) {
      if (!line) line = Line{.offset = at, .stream = piece.stream, .time = piece.time};
      const size_t newline = rest.find('\n');
      const std::string_view part = rest.substr(0, newline);
      line->bytes += part;
      at += part.size();
      rest.remove_prefix(part.size());
      while (line->bytes.size() > kMost) {
        Line tail = *line;
        const size_t cut = cut_in(line->bytes, kMost);
        line->bytes.resize(cut);
        tail.bytes.erase(0, cut);
        tail.offset += cut;
        finish(tail.offset);
        line = std::move(tail);
      }
      if (newline == std::string_view::npos) break;
      at += 1;
      rest.remove_prefix(1);
      finish(at);
    }
  }
  if (line && !more) finish(line->end());
  if (line) next = line->offset;
  return out;
}

ExecutionLog::ExecutionLog(store::Store& store, const Home& home, RunId play, std::uint64_t after)
    : store_(store), home_(home), play_(play) {
  go_on_after(after);
}

void ExecutionLog::go_on_after(std::uint64_t seq) {
  std::tie(stage_, offset_) = place_of(seq);
  source_.reset();
  output_.reset();
  finished_ = false;
}

Result<std::vector<LogEntry>> ExecutionLog::read() {
  std::vector<LogEntry> out;
  while (!finished_) {
    // First how far it has come, then what is there: what came since is read the next time.
    auto record = store_.find(play_);
    if (!record) return std::unexpected(record.error());
    if (!*record) {
      finished_ = true;
      break;
    }
    const bool at_rest = run::is_terminal((*record)->state);
    const auto session = session::parse_session((*record)->session);
    if (!session) return std::unexpected(session.error());
    if (stage_ >= kEnd) {
      const bool failed = session->state == session::State::prepare_failed ||
                          session->state == session::State::runtime_failed;
      finished_ = true;
      if (stage_ == kEnd && offset_ == 0 && failed) {
        offset_ = 1;
        out.push_back({.seq = seq(),
                       .source = "play",
                       .severity = play::Severity::error,
                       .stream = Stream::err,
                       .time = (*record)->finished_at,
                       .text = session->message,
                       .code = session->code});
      }
      break;
    }
    const auto run = session->runs.find(static_cast<session::Stage>(stage_));
    const auto id = run == session->runs.end() ? std::nullopt : [&]() -> std::optional<RunId> {
      auto parsed = RunId::parse(run->second);
      return parsed ? std::optional(*parsed) : std::nullopt;
    }();
    if (!id) {
      // Not a stage of this play, if a later one was asked for or nothing more is.
      const bool passed = session->stage && static_cast<size_t>(*session->stage) > stage_;
      source_.reset();
      if (!at_rest && !passed) break;
      stage_done_ = true;
    } else {
      auto lines = read_stage(*id);
      if (!lines) return std::unexpected(lines.error());
      if (!lines->empty()) return lines;
      if (!stage_done_) break;
    }
    ++stage_;
    offset_ = 0;
    source_.reset();
    output_.reset();
  }
  return out;
}

// The next lines of a stage; none: there are no more now, or (`stage_done_`) at all.
Result<std::vector<LogEntry>> ExecutionLog::read_stage(const RunId& run) {
  if (source_ != run) {
    source_ = run;
    output_.emplace(home_.run_folder(run));
  }
  const auto record = store_.find(run);
  if (!record) return std::unexpected(record.error());
  const bool ended = !*record || run::is_terminal((*record)->state);
  // Twice the longest line: however little of it is held back, there is something to tell.
  constexpr size_t kPortion = 2 * limits::kDiagnosticLineBytesMax;
  std::uint64_t next = offset_;
  auto pieces = output_->read(offset_, kPortion, Stream::both, &next);
  if (!pieces) return std::unexpected(pieces.error());
  size_t bytes = 0;
  for (const OutputPiece& piece : *pieces) bytes += piece.bytes.size();
  const bool full = bytes >= kPortion;
  auto lines = lines_in(*pieces, static_cast<session::Stage>(stage_), !ended || full, next);
  if (!lines.empty()) offset_ = place_of(lines.back().seq).second;
  stage_done_ = ended && !full;
  return lines;
}

}  // namespace drover::api
