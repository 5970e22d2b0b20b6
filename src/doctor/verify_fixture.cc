#include <fcntl.h>
#include <sys/stat.h>

#include <future>
#include <stdexcept>

#include "doctor/verify_fixture.h"
#include "run/kind.h"
#include "store/sqlite/database.h"

namespace drover::doctor {
namespace {

template <class T>
void must(const Result<T>& result) {
  if (!result) throw std::runtime_error(result.error().reason + ": " + result.error().message);
}

}  // namespace

VerifiedHome::VerifiedHome() {
  must(home.create());
  auto store = store::SqliteStore::open(home.database(), clock);
  must(store);
  store_ = std::move(*store);
  running = submit("a key");
  record(run::Fact(run::Started{running, clock.wall_ms()}));
  ended = submit();
  end(ended);
  forget_environment(ended);
  deleted = submit("the key of one that is gone");
  end(deleted);
  remove_file(deleted);
  record(run::Fact(run::Deleted{deleted}));
  playing = play("game");
  step = take_step(playing);
  played = play("over");
  end_play(played);
  forget_environment(played);
}

void VerifiedHome::record(store::Write write) {
  std::promise<std::string> told;
  store_->write(std::move(write), [&](Result<store::Written> written) {
    told.set_value(written ? "" : written.error().message);
  });
  if (const std::string error = told.get_future().get(); !error.empty()) {
    throw std::runtime_error(error);
  }
}

run::Record VerifiedHome::draft() {
  run::Record draft;
  draft.id = ids.next();
  draft.trace_id = draft.id.trace_id();
  draft.kind = "command";
  draft.scope = "default";
  draft.command = {"make", "test"};
  draft.cwd = "/";
  draft.lane = "default";
  draft.queued_at = clock.wall_ms();
  return draft;
}

RunId VerifiedHome::submit(const std::string& key) {
  return submit(draft(), key);
}

RunId VerifiedHome::submit(const run::Record& draft, const std::string& key) {
  make_file(draft.id);
  record(run::Fact(run::Submitted{draft, key, key}));
  return draft.id;
}

RunId VerifiedHome::play(const std::string& project) {
  record(store::ProjectAdded{{.id = project, .root = "/" + project, .added_at = 1}});
  run::Record play = draft();
  play.kind = run::kPlay;
  play.scope = session::scope_of(project);
  play.lane.clear();
  play.session = session::text_of({.project = project});
  return submit(play, "");
}

void VerifiedHome::end_play(const RunId& id) {
  record(run::Fact(run::SessionChanged{
      .id = id,
      .happening = session::Happening::preparation_failed,
      .rest = {.happening = run::Happening::failed, .reason = run::Reason::exit_nonzero}}));
}

RunId VerifiedHome::take_step(const RunId& play) {
  run::Record build = draft();
  build.kind = run::kStep;
  build.lane = run::kPlayLane;
  build.parent_run_id = play.str();
  const RunId id = submit(build, "");
  record(run::Fact(run::Started{id, clock.wall_ms()}));
  record(run::Fact(run::Advanced{play, session::Stage::build, id}));
  return id;
}

void VerifiedHome::end(const RunId& id) {
  run::Ended fact;
  fact.id = id;
  fact.ending = run::Exited{0};
  fact.started_at = fact.finished_at = clock.wall_ms();
  record(run::Fact(fact));
}

void VerifiedHome::make_file(const RunId& id) {
  process::Command command;
  command.argv = {"make", "test"};
  command.environment = {"API_TOKEN=of no use to anybody"};
  command.cwd = "/";
  must(process::write_command(home.run_file(id), command));
  const timespec then{.tv_sec = clock.wall_ms() / 1000, .tv_nsec = 0};
  const timespec times[2] = {then, then};
  ASSERT_EQ(::utimensat(AT_FDCWD, home.run_file(id).c_str(), times, 0), 0);
}

void VerifiedHome::forget_environment(const RunId& id) {
  must(process::forget_environment(home.run_file(id)));
}

void VerifiedHome::remove_file(const RunId& id) {
  ASSERT_EQ(::unlink(home.run_file(id).c_str()), 0);
}

void VerifiedHome::plant(const std::string& sql) {
  auto database = store::sqlite::Database::open(home.database(), {});
  must(database);
  must(database->execute(sql));
}

Report VerifiedHome::report() const {
  auto report = verify(home);
  must(report);
  return *report;
}

::testing::AssertionResult VerifiedHome::breaks(const std::string& promise,
                                                const std::string& named) const {
  const Report told = report();
  if (broken(told) != std::vector{promise}) {
    return ::testing::AssertionFailure() << "not just \"" << promise << "\":\n" << as_text(told);
  }
  for (const Check& check : told.checks) {
    if (check.promise != promise) continue;
    if (check.problem_count != 1 || check.problems.size() != 1 ||
        check.problems[0].find(named) == std::string::npos) {
      return ::testing::AssertionFailure() << "not once, of " << named << ":\n" << as_text(told);
    }
  }
  return ::testing::AssertionSuccess();
}

std::vector<std::string> broken(const Report& report) {
  std::vector<std::string> promises;
  for (const Check& check : report.checks) {
    if (check.problem_count != 0) promises.push_back(check.promise);
  }
  return promises;
}

}  // namespace drover::doctor
