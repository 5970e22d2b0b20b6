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

VerifiedHome::VerifiedHome(store::sqlite::Options options, std::span<const SqlCheckSet> checks)
    : checks_(checks) {
  must(home.create());
  auto store = store::SqliteStore::open(home.database(), clock, std::move(options));
  must(store);
  store_ = std::move(*store);
  running = submit("a key");
  record(run::Fact(run::Started{running, clock.wall_ms()}));
  ended = submit();
  end(ended);
  forget_environment(ended);
  compacted = submit("the key of a compacted one");
  end(compacted);
  remove_file(compacted);
  record(run::Fact(run::Deleted{compacted}));
  deleted = submit("the key of one that is gone");
  end(deleted);
  record(store::Compaction{.before = clock.wall_ms() + 1});
  remove_file(deleted);
  record(run::Fact(run::Deleted{deleted}));
  run::Record nested = draft();
  nested.scope = "world/chat";
  below = submit(nested, "");
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
  auto report = verify(home, checks_);
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
      return ::testing::AssertionFailure()
             << "expected exactly one problem, which names " << named << ":\n"
             << as_text(told);
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
