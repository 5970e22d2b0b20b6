#include "api/play/execution_log.h"

#include "base/output_file.h"
#include "play/verdict.h"

namespace drover::api {
namespace {

std::optional<RunId> run_of(const play::PlaySession& session, play::Stage stage) {
  const auto run = session.runs.find(stage);
  if (run == session.runs.end()) return std::nullopt;
  const auto id = RunId::parse(run->second);
  return id ? std::optional(*id) : std::nullopt;
}

LogEntry what_became_of(const run::Record& play, const play::PlaySession& session) {
  return {.seq = seq_of(kLogEnd, 1),
          .source = "play",
          .severity = play::Severity::error,
          .stream = Stream::err,
          .time = play.finished_at,
          .text = session.message,
          .code = session.code};
}

// P1: the notice for a project without a validation, in the place of the validation's output.
LogEntry not_validated(store::Reads& store, const run::Record& play,
                       const play::PlaySession& session) {
  WallMs time = play.started_at;
  const auto next = session.runs.upper_bound(play::Stage::validation);
  const auto id = next == session.runs.end() ? RunId::parse("") : RunId::parse(next->second);
  if (const auto run = id ? store.find(*id) : Result<std::optional<run::Record>>(std::nullopt);
      run && *run) {
    time = (*run)->queued_at;
  }
  return {.seq = seq_of(static_cast<size_t>(play::Stage::validation), 1),
          .source = "play",
          .severity = play::Severity::warning,
          .stream = Stream::err,
          .time = time,
          .text = std::string(play::kNotValidated)};
}

}  // namespace

ExecutionLog::ExecutionLog(const Home& home, RunId play, std::uint64_t after)
    : home_(home), play_(play) {
  const auto [stage, resume] = position_of(after);
  begin(stage, resume);
}

void ExecutionLog::begin(size_t stage, std::uint64_t resume) {
  stage_ = stage;
  resume_ = resume;
  source_.reset();
  lines_.reset();
}

Result<std::vector<LogEntry>> ExecutionLog::read(store::Reads& store) {
  std::vector<LogEntry> out;
  has_more_ = false;
  while (!finished_) {
    // Read the session first, then the output: anything newer is read next time.
    auto record = store.find(play_);
    if (!record) return std::unexpected(record.error());
    if (!*record) {
      finished_ = true;
      break;
    }
    const bool at_rest = run::is_finished((*record)->state);
    const auto session = play::parse_session((*record)->phase);
    if (!session) return std::unexpected(session.error());
    if (stage_ >= kLogEnd) {
      // The runtime has finished, and the session's result is not on record yet.
      if (!at_rest) break;
      finished_ = true;
      const bool failed = session->state == play::State::prepare_failed ||
                          session->state == play::State::runtime_failed;
      if (stage_ == kLogEnd && resume_ == 0 && failed) {
        out.push_back(what_became_of(**record, *session));
      }
      break;
    }
    const auto stage = static_cast<play::Stage>(stage_);
    if (const auto run = run_of(*session, stage)) {
      auto lines = read_stage(store, *run);
      if (!lines || !lines->empty()) return lines;
      if (!lines_->finished()) break;
    } else {
      // The play has no such stage if a later one was submitted or the session is at rest.
      const bool passed = session->stage && *session->stage > stage;
      source_.reset();
      if (!at_rest && !passed) break;
      if (passed && stage == play::Stage::validation && resume_ == 0) {
        out.push_back(not_validated(store, **record, *session));
        begin(stage_ + 1, 0);
        has_more_ = true;
        break;
      }
    }
    begin(stage_ + 1, 0);
  }
  return out;
}

// The next lines of a stage. Empty: there are no more for now, or (`lines_->finished()`) at all.
Result<std::vector<LogEntry>> ExecutionLog::read_stage(store::Reads& store, const RunId& run) {
  const auto stage = static_cast<play::Stage>(stage_);
  if (source_ != run) {
    source_ = run;
    lines_.emplace(home_, run, line_rules(stage), resume_);
  }
  auto lines = lines_->read(store);
  if (!lines) return std::unexpected(lines.error());
  has_more_ = lines_->has_more();
  std::vector<LogEntry> out;
  for (queries::OutputLine& line : *lines) out.push_back(entry_of(stage, std::move(line)));
  return out;
}

Result<std::uint64_t> ExecutionLog::end(store::Reads& store) const {
  const auto record = store.find(play_);
  if (!record) return std::unexpected(record.error());
  if (!*record || run::is_finished((*record)->state)) return kLogSeqMax;
  const auto session = play::parse_session((*record)->phase);
  if (!session) return std::unexpected(session.error());
  const play::Stage stage = session->stage.value_or(play::Stage::build);
  const auto run = run_of(*session, stage);
  const auto size = run ? OutputReader(home_.run_directory(*run)).size() : Result<std::uint64_t>(0);
  if (!size) return std::unexpected(size.error());
  return seq_of(static_cast<size_t>(stage), *size);
}

}  // namespace drover::api
