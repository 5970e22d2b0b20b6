// The contract of a Store: Works, writes that a module above it defines (store/transaction.h). The
// table is that of the test room (testing/kinds.h).
#include <latch>

#include "store/refused_request.h"
#include "store/store_contract.h"
#include "testing/kinds.h"

namespace drover::store {
namespace {

using testing::visit;

// Never finishes by itself.
constexpr auto kEndless =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
constexpr auto kEndlessWrite =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "INSERT INTO visits (id, place, at) SELECT 'endless' || i, '', 0 FROM n";

std::vector<std::string> visits(Store& store) {
  std::vector<std::string> ids;
  for (const Values& row : must(store.query("SELECT id FROM visits ORDER BY id", {}))) {
    ids.push_back(row[0].text());
  }
  return ids;
}

// Writes all of them in one transaction: the writer is blocked until all are queued.
std::vector<Result<Written>> write_together(Store& store, std::vector<Write> writes) {
  std::latch queued(1);
  std::latch began(1);
  std::vector<std::promise<Result<Written>>> told(writes.size());
  std::promise<void> free;
  const Work busy = [&](Transaction&) -> Result<> {
    began.count_down();
    queued.wait();
    return {};
  };
  store.write(busy, [&](const Result<Written>&) { free.set_value(); });
  began.wait();
  for (size_t i = 0; i < writes.size(); ++i) {
    store.write(std::move(writes[i]),
                [&told, i](Result<Written> r) { told[i].set_value(std::move(r)); });
  }
  queued.count_down();
  free.get_future().wait();
  std::vector<Result<Written>> answers;
  for (auto& promise : told) answers.push_back(promise.get_future().get());
  return answers;
}

// Rows, facts and events of a Work are one commit, in the order in which it wrote them.
TEST_P(StoreContract, AWorkIsOneCommit) {
  const run::Record a = draft(), b = draft();
  const auto commits = store->commits();
  const auto written = must(write(Work([&](Transaction& t) -> Result<> {
    auto first = t.record(run::Submitted{a, "", ""});
    if (!first) return std::unexpected(first.error());
    auto second = t.record(run::Submitted{b, "", ""});
    if (!second) return std::unexpected(second.error());
    EXPECT_TRUE(must(t.find(b.id)));
    return visit("1", "alps")(t);
  })));
  EXPECT_EQ(store->commits(), commits + 1);
  EXPECT_EQ(written.record.id, a.id);
  ASSERT_EQ(written.also.size(), 1u);
  EXPECT_EQ(written.also[0].id, b.id);
  std::vector<std::string> told;
  std::int64_t last = 0;
  for (const run::Event& event : written.events) {
    told.push_back(event.type);
    EXPECT_GT(event.seq, last);
    last = event.seq;
  }
  EXPECT_EQ(told,
            (Types{"run.queued", "run.starting", "run.queued", "run.starting", "visit.paid"}));
  EXPECT_EQ(visits(*store), Types{"1"});
  EXPECT_TRUE(must(store->find(a.id)));
}

// A refused Work leaves nothing behind: no row, no run, no event, no lane, no taken slot; its
// neighbors in the same commit are written.
TEST_P(StoreContract, ARefusedWorkIsUndone) {
  must(set_lane("narrow", 1));
  const run::Record lost = draft("narrow"), unheard = draft("unheard"), next = draft("narrow");
  const Work refused = [&](Transaction& t) -> Result<> {
    must(t.record(run::Submitted{lost, "", ""}));
    must(t.record(run::Submitted{unheard, "", ""}));
    if (auto ok = visit("lost", "alps")(t); !ok) return ok;
    return fail(ErrorCode::conflict, "not_so", "not so");
  };
  const auto answers =
      write_together(*store, {visit("before", "alps"), refused,
                              run::Fact(run::Submitted{next, "", ""}), visit("behind", "coast")});
  EXPECT_TRUE(answers[0]);
  EXPECT_EQ(reason_of(answers[1]), "not_so");
  // The slot is free again, although it was taken for a moment.
  EXPECT_EQ(must(answers[2]).record.state, run::State::starting);
  EXPECT_TRUE(answers[3]);
  EXPECT_EQ(visits(*store), (Types{"before", "behind"}));
  EXPECT_EQ(must(store->find(lost.id)), std::nullopt);
  EXPECT_EQ(lane("narrow").active, 1);
  EXPECT_EQ(lane("unheard").limit, -1);
  EXPECT_TRUE(history(lost.id).empty());
}

// The runs of a refused Work do not count against the bound of the queue.
TEST_P(StoreContract, ARefusedWorkFreesTheQueue) {
  reopen(1);
  must(set_lane("shut", 1));
  must(write(LaneSet{.name = "shut", .paused = true}));
  const run::Record lost = draft("shut"), next = draft("shut"), third = draft("shut");
  const Work refused = [&](Transaction& t) -> Result<> {
    must(t.record(run::Submitted{lost, "", ""}));
    return fail(ErrorCode::conflict, "not_so", "not so");
  };
  const auto answers = write_together(*store, {refused, run::Fact(run::Submitted{next, "", ""}),
                                               run::Fact(run::Submitted{third, "", ""})});
  EXPECT_EQ(reason_of(answers[0]), "not_so");
  EXPECT_EQ(reason_of(answers[1]), "");
  EXPECT_EQ(reason_of(answers[2]), "queue_full");
}

// A fact that is refused inside a Work undoes only itself, if the Work continues.
TEST_P(StoreContract, AWorkMayContinueAfterARefusedFact) {
  const RunId gone = ids.next();
  must(write(Work([&](Transaction& t) -> Result<> {
    EXPECT_EQ(reason_of(t.record(run::Claimed{gone})), "not_found");
    return visit("1", "alps")(t);
  })));
  EXPECT_EQ(visits(*store), Types{"1"});
}

// A run that a Work changes twice is returned in its last version.
TEST_P(StoreContract, AWorkReturnsTheLastVersionOfARun) {
  const run::Record record = draft();
  const auto written = must(write(Work([&](Transaction& t) -> Result<> {
    auto submitted = t.record(run::Submitted{record, "", ""});
    if (!submitted) return std::unexpected(submitted.error());
    auto started = t.record(run::Started{record.id, 5});
    return started ? Result<>{} : std::unexpected(started.error());
  })));
  EXPECT_EQ(written.record.state, run::State::running);
  EXPECT_TRUE(written.also.empty());
  EXPECT_EQ(found(record.id).state, run::State::running);
}

// An invalid statement refuses only its own Work.
TEST_P(StoreContract, ABadStatementRefusesOneWork) {
  const auto bad = [](Transaction& t) {
    return t.execute("SELECT json_extract('no json', '$.a')", {});
  };
  const run::Record record = draft();
  const auto answers =
      write_together(*store, {Work(bad), run::Fact(run::Submitted{record, "", ""})});
  EXPECT_EQ(reason_of(answers[0]), "statement_refused");
  EXPECT_TRUE(answers[1].has_value());
}

// R8: a run's files are removed before its record, and a Work cannot remove files.
TEST_P(StoreContract, AWorkDeletesNoRun) {
  const RunId id = whole_life(draft()).id;
  const auto deletes = [&](Transaction& t) -> Result<> {
    const auto deleted = t.record(run::Deleted{id});
    return deleted ? Result<>{} : std::unexpected(deleted.error());
  };
  EXPECT_EQ(reason_of(write(Work(deletes))), "not_in_a_work");
  EXPECT_TRUE(must(store->find(id)).has_value());
}

// A violated constraint refuses the Work.
TEST_P(StoreContract, AConstraintRefusesAWork) {
  must(write(visit("1", "alps")));
  EXPECT_EQ(reason_of(write(visit("1", "coast"))), "already_recorded");
  EXPECT_EQ(must(store->query("SELECT place FROM visits", {})), (Table{{"alps"}}));
}

// A Work that changes something without an event is refused: nobody could find out later whether it
// landed.
TEST_P(StoreContract, AWorkThatChangesSomethingMustAppendAnEvent) {
  const Work silent = [](Transaction& t) {
    return t.execute("INSERT INTO visits (id, place, at) VALUES ($1, $2, $3)", {"1", "alps", 1});
  };
  EXPECT_EQ(reason_of(write(silent)), "work_untold");
  EXPECT_TRUE(visits(*store).empty());
}

// A change that may be lost needs no event; another change in the same Work does.
TEST_P(StoreContract, AWorkMayMakeAChangeThatNeedsNoEvent) {
  const auto add = "INSERT INTO visits (id, place, at) VALUES ($1, 'alps', 0)";
  const auto written =
      must(write(Work([&](Transaction& t) { return t.execute_without_event(add, {"1"}); })));
  EXPECT_TRUE(written.events.empty());
  EXPECT_EQ(visits(*store), (std::vector<std::string>{"1"}));
  EXPECT_EQ(reason_of(write(Work([&](Transaction& t) -> Result<> {
              if (auto ok = t.execute_without_event(add, {"2"}); !ok) return ok;
              return t.execute(add, {"3"});
            }))),
            "work_untold");
  EXPECT_EQ(visits(*store), (std::vector<std::string>{"1"}));
}

// A Work may write nothing; it then appends no event.
TEST_P(StoreContract, AWorkMayWriteNothing) {
  const std::int64_t last = must(store->last_seq());
  const auto written = must(write(Work([](Transaction& t) -> Result<> {
    const auto rows = t.query("SELECT count(*) FROM visits", {});
    return rows ? Result<>{} : std::unexpected(rows.error());
  })));
  EXPECT_TRUE(written.events.empty());
  EXPECT_FALSE(written.is_of_run());
  EXPECT_EQ(must(store->last_seq()), last);
}

// An exception is a refusal: its writes are undone, and the store continues.
TEST_P(StoreContract, AnExceptionRefusesAWork) {
  const Work throws = [](Transaction& t) -> Result<> {
    if (auto ok = visit("1", "alps")(t); !ok) return ok;
    throw std::runtime_error("out of maps");
  };
  const auto answer = write(throws);
  EXPECT_EQ(reason_of(answer), "work_failed");
  EXPECT_EQ(answer.error().message, "out of maps");
  EXPECT_TRUE(visits(*store).empty());
  must(write(visit("2", "coast")));
}

// A Work that takes too long is interrupted, whether it reads or writes, and even if it ignores the
// error; its neighbors are still written, each once.
TEST_P(StoreContract, ASlowWorkIsInterrupted) {
  const auto endless = [](const char* sql, bool continues) -> Work {
    return [sql, continues](Transaction& t) -> Result<> {
      auto rows = t.query(sql, {});
      if (!rows && !continues) return std::unexpected(rows.error());
      (void)visit("after", "nowhere")(t);
      return {};
    };
  };
  const run::Record neighbor = draft();
  const auto answers = write_together(
      *store, {visit("1", "alps"), endless(kEndless, false), endless(kEndlessWrite, false),
               run::Fact(run::Submitted{neighbor, "", ""}), endless(kEndlessWrite, true),
               endless(kEndless, true), visit("2", "coast")});
  for (const size_t slow : {1u, 2u, 4u, 5u}) EXPECT_EQ(reason_of(answers[slow]), "work_slow");
  for (const size_t fine : {0u, 3u, 6u}) EXPECT_EQ(reason_of(answers[fine]), "");
  EXPECT_EQ(visits(*store), (Types{"1", "2"}));
  EXPECT_EQ(types(neighbor.id), (Types{"run.queued", "run.starting"}));
  EXPECT_EQ(must(store->events({.about = "visit"})).size(), 2u);
}

// Values of each type are read back as written.
TEST_P(StoreContract, KeepsValues) {
  const auto asked = must(store->query("SELECT $2, $1, $3, $4", {"a\xff", -7, nullptr, ""}));
  EXPECT_EQ(asked, (Table{{-7, "a\xff", nullptr, ""}}));
}

// Events are numbered per subject and can be queried by their sort; those without a scope are the
// owner's.
TEST_P(StoreContract, EventsHaveSubjects) {
  const RunId id = submit("default", "tours/alps").id;
  must(set_lane("gpu", 2));
  must(set_lane("gpu", 3));
  must(write(visit("1", "alps")));
  const auto lanes = must(store->events({.about = "lane"}));
  ASSERT_EQ(lanes.size(), 2u);
  for (const run::Event& event : lanes) {
    EXPECT_EQ(event.subject(), "lane/gpu");
    EXPECT_FALSE(event.is_of_run());
    EXPECT_EQ(event.scope, "");
  }
  EXPECT_EQ(lanes[1].run_seq, 2);
  std::vector<std::string> subjects;
  for (const run::Event& event : must(store->events({.of_owner = false}))) {
    subjects.push_back(event.subject());
  }
  const std::string run = "run/" + id.str();
  EXPECT_EQ(subjects, (Types{run, run, "visit/1"}));
  EXPECT_EQ(must(store->events({.scope = "tours"})).size(), 3u);
  EXPECT_EQ(must(store->events({.scope = "tours/alps"})).size(), 2u);
  EXPECT_EQ(must(store->events({.about = "visit", .of_owner = false})).size(), 1u);
}

// R12, H7: requests that changed nothing are events of the active run, and of `request/<id>` after
// its end; both together are bounded, each type by itself. The record shows nothing of them.
TEST_P(StoreContract, ReportsRefusedRequestsWithinABound) {
  const RunId id = submit().id;
  const auto report = [&](run::EventType type) {
    return must(write(report_refused({.run = id,
                                      .trace_id = id.trace_id(),
                                      .scope = "default",
                                      .type = type,
                                      .by = R"({"kind":"owner"})",
                                      .outcome = "no"})))
        .events.size();
  };
  const run::Record before = found(id);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(report(run::EventType::cancel_refused), 1U);
  run::Record after = found(id);
  EXPECT_EQ(after.events, before.events + 3);
  EXPECT_EQ(after.state, before.state);
  EXPECT_EQ(after.cancel_requested, before.cancel_requested);
  must(end(id));
  const auto own = must(store->events({.run = id})).size();
  for (std::int64_t i = 3; i < limits::kRefusalsReportedMax; ++i) {
    EXPECT_EQ(report(run::EventType::cancel_refused), 1U);
  }
  EXPECT_EQ(report(run::EventType::cancel_refused), 0U);
  EXPECT_EQ(report(run::EventType::delete_refused), 1U);
  EXPECT_EQ(must(store->events({.run = id})).size(), own);
  const auto late = must(store->events({.about = "request"}));
  ASSERT_EQ(late.size(), static_cast<size_t>(limits::kRefusalsReportedMax - 3 + 1));
  EXPECT_EQ(late.front().subject(), "request/" + id.str());
  EXPECT_EQ(late.front().run_seq, 1);
  must(remove(id));
  EXPECT_EQ(report(run::EventType::cancel_refused), 0U);
}

}  // namespace
}  // namespace drover::store
