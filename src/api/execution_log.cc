#include "api/execution_log.h"

#include "base/limits.h"

namespace drover::api {
namespace {

std::optional<RunId> run_of(const session::Session& session, session::Stage stage) {
  const auto run = session.runs.find(stage);
  if (run == session.runs.end()) return std::nullopt;
  const auto id = RunId::parse(run->second);
  return id ? std::optional(*id) : std::nullopt;
}

LogEntry what_became_of(const run::Record& play, const session::Session& session) {
  return {.seq = seq_of(kLogEnd, 1),
          .source = "play",
          .severity = play::Severity::error,
          .stream = Stream::err,
          .time = play.finished_at,
          .text = session.message,
          .code = session.code};
}

}  // namespace

ExecutionLog::ExecutionLog(store::Store& store, const Home& home, RunId play, std::uint64_t after)
    : store_(store), home_(home), play_(play) {
  const auto [stage, told] = place_of(after);
  begin(stage, told);
}

void ExecutionLog::begin(size_t stage, std::uint64_t told) {
  stage_ = stage;
  told_ = told;
  source_.reset();
  output_.reset();
  lines_.reset();
}

Result<std::vector<LogEntry>> ExecutionLog::read() {
  std::vector<LogEntry> out;
  has_more_ = false;
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
    if (stage_ >= kLogEnd) {
      // Its runtime has ended, and what that means is not on record yet.
      if (!at_rest) break;
      finished_ = true;
      const bool failed = session->state == session::State::prepare_failed ||
                          session->state == session::State::runtime_failed;
      if (stage_ == kLogEnd && told_ == 0 && failed) {
        out.push_back(what_became_of(**record, *session));
      }
      break;
    }
    const auto stage = static_cast<session::Stage>(stage_);
    if (const auto run = run_of(*session, stage)) {
      auto lines = read_stage(*run);
      if (!lines || !lines->empty()) return lines;
      if (!stage_done_) break;
    } else {
      // Not a stage of this play, if a later one was asked for or nothing more is.
      const bool passed = session->stage && *session->stage > stage;
      source_.reset();
      if (!at_rest && !passed) break;
    }
    begin(stage_ + 1, 0);
  }
  return out;
}

// The next lines of a stage; none: there are no more now, or (`stage_done_`) at all.
Result<std::vector<LogEntry>> ExecutionLog::read_stage(const RunId& run) {
  if (source_ != run) {
    source_ = run;
    output_.emplace(home_.run_folder(run));
    lines_.emplace(static_cast<session::Stage>(stage_), told_);
    read_ = lines_->begins();
  }
  const auto record = store_.find(run);
  if (!record) return std::unexpected(record.error());
  const bool ended = !*record || run::is_terminal((*record)->state);
  constexpr size_t kPortion = 2 * limits::kLogChunkBytes;
  std::vector<LogEntry> lines;
  bool full = true;
  while (lines.empty() && full) {
    auto pieces = output_->read(read_, kPortion, Stream::both, &read_);
    if (!pieces) return std::unexpected(pieces.error());
    size_t bytes = 0;
    for (const OutputPiece& piece : *pieces) bytes += piece.bytes.size();
    full = bytes >= kPortion;
    lines = lines_->take(*pieces);
  }
  stage_done_ = ended && !full;
  if (stage_done_) std::ranges::move(lines_->rest(), std::back_inserter(lines));
  has_more_ = !lines.empty() && (full || stage_done_);
  return lines;
}

Result<std::uint64_t> ExecutionLog::end() {
  const auto record = store_.find(play_);
  if (!record) return std::unexpected(record.error());
  if (!*record || run::is_terminal((*record)->state)) return kLogSeqMax;
  const auto session = session::parse_session((*record)->session);
  if (!session) return std::unexpected(session.error());
  const session::Stage stage = session->stage.value_or(session::Stage::build);
  const auto run = run_of(*session, stage);
  const auto size = run ? OutputReader(home_.run_folder(*run)).size() : Result<std::uint64_t>(0);
  if (!size) return std::unexpected(size.error());
  return seq_of(static_cast<size_t>(stage), *size);
}

}  // namespace drover::api
