// A reader that knows only the spine's table gives the same answers as a handle (H2, H4, H7).
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json/serialize.hpp>
#include <latch>
#include <map>
#include <random>

#include "api/door_fixture.h"
#include "api/runs/handles.h"
#include "store/sqlite/database.h"
#include "testing/clock.h"
#include "testing/stride.h"

namespace drover::api {
namespace {

namespace json = boost::json;

constexpr size_t kHistories = 10'000 / testing::kStride;

// The naive reader: joins rows by type, and lets SQLite parse them and format the times.
constexpr auto kNaive = R"sql(
WITH told AS (
  SELECT *, strftime('%Y-%m-%dT%H:%M:%S', time / 1000, 'unixepoch') ||
            printf('.%03dZ', time % 1000) AS at FROM spine)
SELECT q.subject, q.trace_id,
  CASE e.type WHEN 'run.completed' THEN 'completed' WHEN 'run.canceled' THEN 'cancelled'
    WHEN 'run.abandoned' THEN 'abandoned' WHEN 'run.failed' THEN 'failed'
    WHEN 'run.timed_out' THEN 'failed' ELSE 'active' END,
  CASE WHEN q.scope LIKE 'app/%' THEN 'app' WHEN q.scope LIKE 'session/%' THEN 'session'
    WHEN q.scope LIKE 'project/%' THEN 'project' ELSE 'command' END,
  CASE WHEN q.scope = 'app/a/b' THEN 'a' WHEN q.scope LIKE 'app/%' THEN substr(q.scope, 5)
    WHEN q.scope LIKE 'session/%' THEN substr(q.scope, 9)
    WHEN q.scope LIKE 'project/%' THEN substr(q.scope, 9)
    ELSE ifnull(json_extract(q.data, '$.parent_run_id'), q.subject) END,
  q.at, s.at, e.at, json_extract(e.data, '$.reason'), json_extract(e.data, '$.origin'),
  json_extract(e.data, '$.message')
FROM told q
LEFT JOIN told s ON s.subject = q.subject AND s.type = 'run.started'
LEFT JOIN told e ON e.subject = q.subject AND e.type IN
  ('run.completed', 'run.failed', 'run.canceled', 'run.timed_out', 'run.abandoned')
WHERE q.type = 'run.queued')sql";

json::value text_or_null(const store::sqlite::Row& row, int column) {
  return row.is_null(column) ? json::value(nullptr) : text(row.text(column));
}

std::map<std::string, json::object> read_naively(store::sqlite::Database& database) {
  std::map<std::string, json::object> answers;
  auto ask = database.prepare(kNaive);
  EXPECT_TRUE(ask.has_value());
  auto ok = ask->each([&](const store::sqlite::Row& row) {
    const std::string id(row.text(0));
    const std::string status(row.text(2));
    json::object out{{"object", "run_status"},
                     {"run_id", id},
                     {"trace_id", text(row.text(1))},
                     {"status", status},
                     {"source", {{"kind", text(row.text(3))}, {"id", text(row.text(4))}}},
                     {"acknowledged_at", text_or_null(row, 5)},
                     {"started_at", text_or_null(row, 5)},
                     {"launched_at", text_or_null(row, 6)},
                     {"completed_at", text_or_null(row, 7)},
                     {"terminal_reason", text_or_null(row, 8)},
                     {"failure", nullptr},
                     {"links", {{"timeline", "/_ref/runs/" + id + "/timeline"}}}};
    if (status == "failed" || status == "abandoned") {
      out["failure"] = {{"reason", text_or_null(row, 8)},
                        {"origin", text_or_null(row, 9)},
                        {"message", text_or_null(row, 10)}};
    }
    // One row per run: a second would mean two starts or two ends.
    EXPECT_TRUE(answers.emplace(id, std::move(out)).second) << id;
  });
  EXPECT_TRUE(ok.has_value());
  return answers;
}

class Nobody final : public RequestClient {
 public:
  bool gone() const override { return false; }

 private:
  void watch(std::function<void()>) override {}
};

// A random history: facts in any order; the store refuses those that make no sense.
class RandomHistory {
 public:
  explicit RandomHistory(unsigned seed) : engine_(seed) {}
  size_t below(size_t sides) {
    return std::uniform_int_distribution<size_t>(0, sides - 1)(engine_);
  }

  run::Record draft(const RunId& id, WallMs now) {
    static constexpr const char* kScopes[] = {
        "default", "app/reports", "project/s1", "world/chat", "apple/pie", "app/a/b", "session/7"};
    run::Record r;
    r.id = id;
    r.trace_id = id.trace_id();
    r.kind = "command";
    r.scope = kScopes[below(std::size(kScopes))];
    r.lane = below(2) == 0 ? "wide" : "narrow";
    r.command = {"make"};
    r.cwd = "/";
    r.queued_at = now;
    if (below(5) == 0) r.parent_run_id = RunId::earliest(now).str();
    return r;
  }

  run::Fact next(const RunId& id, WallMs now) {
    switch (below(9)) {
      case 0:
        return run::Claimed{id};
      case 1:
      case 2:
        return run::Started{id, now};
      case 3:
        return run::CancelRequested{id};
      case 4:
        return run::Moved{id, {}, static_cast<int>(below(5))};
      case 5:
        return run::Deleted{id};  // By a person or by retention: the same fact (R9).
      default:
        return ended(id, now);
    }
  }

 private:
  run::Fact ended(const RunId& id, WallMs now) {
    run::Ended fact;
    fact.id = id;
    if (below(3) == 0) fact.cause = static_cast<StopCause>(below(4));
    fact.exit_mono_ns = static_cast<MonoNs>(below(3));
    if (below(2) == 0) fact.started_at = now;
    if (below(2) == 0) fact.finished_at = now + 1;
    switch (below(8)) {
      case 0:
        fact.ending = run::Killed{9, false};
        break;
      case 1:
        fact.ending = run::NotLaunched{LaunchStep::exec, ENOENT, "nothing \"here\"\n"};
        break;
      case 2:
        fact.ending = run::NeverStarted{};
        break;
      case 3:
        fact.ending = run::Unknown{run::Reason::host_restarted};
        break;
      case 4:
        fact.ending = run::Unknown{run::Reason::keeper_lost};
        break;
      default:
        fact.ending = run::Exited{static_cast<int>(below(2))};
    }
    return fact;
  }

  std::mt19937 engine_;
};

class HandleProperty : public ::testing::Test {
 protected:
  // All facts of a round share a few commits.
  void write_all(std::vector<store::Write> writes) {
    std::latch left(static_cast<std::ptrdiff_t>(writes.size()));
    for (store::Write& write : writes) {
      store.write(std::move(write), [&](const auto&) { left.count_down(); });
    }
    left.wait();
    clock.advance_ms(1'007);
  }

  HttpAnswer resolve(const std::string& id) {
    const std::string target = "/_ref/runs/" + id;
    Request request{.client = nobody,
                    .door = {},
                    .id = "req",
                    .method = "GET",
                    .target = target,
                    .content_type = {},
                    .accept = {},
                    .last_event_id = {},
                    .idempotency_key = {},
                    .authorization = {},
                    .cookie = {},
                    .host = {},
                    .origin = {},
                    .body = {},
                    .grant = {},
                    .subject = id,
                    .query = {}};
    HttpAnswer answer;
    asio::co_spawn(
        loop,
        [&]() -> asio::awaitable<void> {
          auto response = co_await resolve_handle(*services, request);
          answer.status = response ? response->status : 404;
          if (response) answer.body = response->body;
        },
        asio::detached);
    loop.restart();
    loop.run();
    return answer;
  }

  testing::ManualClock clock;
  IdMaker ids{clock};
  testing::TestStore store{clock};
  asio::io_context loop{1};
  store::ReadPool reads{loop.get_executor(), store};
  work::Pool workers{loop.get_executor(), {}};
  bus::Bell bell{store, 0};
  PuppetDispatcher dispatcher{store, bell, clock, {}};
  access::Gate gate{
      access::Keys(std::string(kOwnerToken)), loop.get_executor(), reads, bell, clock, {}};
  queries::OutputWatch output_watch{loop.get_executor()};
  queries::ExactReaders exact_readers{loop.get_executor(), {}, reads};
  Nobody nobody;
  std::optional<Services> services{Services{.loop = loop.get_executor(),
                                            .dispatcher = dispatcher,
                                            .store = store,
                                            .reads = reads,
                                            .workers = workers,
                                            .bell = bell,
                                            .clock = clock,
                                            .kinds = run::only_commands(),
                                            .gate = gate,
                                            .home = {},
                                            .output_watch = output_watch,
                                            .exact_readers = exact_readers,
                                            .routes = {}}};
};

// H2, H4, H7: for ten thousand random histories the naive reader agrees, also after everything that
// is not evidence was compacted from the histories of deleted runs.
TEST_F(HandleProperty, ANaiveReaderOfTheSpineAgrees) {
  RandomHistory chance(20'261'115);
  write_all({store::LaneSet{"wide", 100'000}, store::LaneSet{"narrow", 50}});
  std::vector<RunId> runs;
  std::vector<store::Write> round;
  for (size_t i = 0; i < kHistories; ++i) {
    runs.push_back(ids.next());
    round.emplace_back(
        run::Fact(run::Submitted{chance.draft(runs.back(), clock.wall_ms()), "", "", {}}));
  }
  write_all(std::move(round));
  for (int step = 0; step < 6; ++step) {
    round.clear();
    for (const RunId& id : runs) {
      if (chance.below(3) != 0) round.emplace_back(chance.next(id, clock.wall_ms()));
    }
    write_all(std::move(round));
  }

  auto database = store::sqlite::Database::open(store.file(), {});
  ASSERT_TRUE(database.has_value());
  const auto naive = read_naively(*database);
  ASSERT_EQ(naive.size(), kHistories);
  std::map<std::string, int> seen;
  const auto agree = [&] {
    for (const RunId& id : runs) {
      const HttpAnswer answer = resolve(id.str());
      ASSERT_EQ(answer.status, 200U) << id.view();
      const json::object& expected = naive.at(id.str());
      ASSERT_EQ(answer.json(), expected) << answer.body << "\n" << json::serialize(expected);
      ++seen[std::string(expected.at("status").as_string())];
    }
  };
  agree();
  for (const char* status : {"active", "completed", "failed", "cancelled", "abandoned"}) {
    // Otherwise the test would prove little.
    EXPECT_GT(seen[status], 100 / testing::kStride) << status;
  }
  EXPECT_EQ(resolve(ids.next().str()).status, 404U);

  const auto deleted = database->integer("SELECT count(*) FROM spine WHERE type = 'run.deleted'");
  ASSERT_TRUE(deleted.has_value());
  EXPECT_GT(*deleted, 500 / testing::kStride);
  // The last event may be a deletion, and is never compacted: one more.
  write_all({store::LaneSet{"wide", 100'001}});
  for (std::int64_t i = 0; i <= *deleted / limits::kCompactedRunsMax + 100; ++i) {
    write_all({store::Compaction{.before = clock.wall_ms() + 1}});
  }
  EXPECT_EQ(database->integer("SELECT count(*) FROM evidence"), *deleted);
  EXPECT_EQ(database->integer("SELECT count(*) FROM spine WHERE type = 'run.deleted'"), 0);
  agree();
}

}  // namespace
}  // namespace drover::api
