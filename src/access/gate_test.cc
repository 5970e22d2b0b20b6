#include "access/gate.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/limits.h"
#include "store/store_contract.h"
#include "testing/breaking_store.h"
#include "testing/clock.h"
#include "testing/store.h"

namespace drover::access {
namespace {

using store::must;
using store::reason_of;
using store::write_to;

class GateTest : public ::testing::Test {
 protected:
  GateTest() : owned_(make()), gate_(*owned_) {}

  // The gate of a daemon, or of the next daemon after a restart.
  std::unique_ptr<Gate> make(const std::string& owner = "dro_owner_x") {
    auto gate = std::make_unique<Gate>(
        Keys(owner), loop_.get_executor(), reads_, bell_, clock_,
        [this](store::Write change) -> asio::awaitable<Result<store::Written>> {
          co_return write(std::move(change));
        });
    if (auto ok = gate->load(store_); !ok) throw std::runtime_error(ok.error().message);
    return gate;
  }
  // Rings the bell after the commit, as the spine does.
  Result<store::Written> write(store::Write change) {
    auto written = write_to(store_, std::move(change));
    if (written) bell_.ring(written->events);
    return written;
  }
  template <class T>
  T run(asio::awaitable<T> work) {
    asio::io_context loop;  // Its own: what the gate does in the background waits for `loop_`.
    std::optional<T> out;
    asio::co_spawn(loop, std::move(work), [&](std::exception_ptr bug, T result) {
      if (bug) std::rethrow_exception(bug);
      out.emplace(std::move(result));
    });
    for (loop.poll(); !out; loop.poll()) {  // It waits for the store.
      loop_.run_one();
      loop_.restart();
    }
    return std::move(*out);
  }
  Gate::IssuedToken issue(std::int64_t ttl_ms = 60'000) {
    return must(
        run(gate_.issue({.scope = "app", .rights = *parse_rights("read"), .ttl_ms = ttl_ms})));
  }
  RunId submit(const std::string& scope) {
    run::Record r;
    r.id = ids_.next();
    r.kind = run::kCommand;
    r.scope = scope;
    r.lane = "default";
    must(write_to(store_, run::Fact(run::Submitted{r, "", ""})));
    return r.id;
  }

  testing::ManualClock clock_;
  IdMaker ids_{clock_};
  testing::TestStore kept_{clock_, {.rooms = {kTokenTables}}};
  testing::BreakingStore store_{kept_};
  bus::Bell bell_{store_, 0};
  asio::io_context loop_;
  store::ReadPool reads_{loop_.get_executor(), store_};
  std::unique_ptr<Gate> owned_;
  Gate& gate_;
};

// A token allows what it was issued for until it expires, also after a restart.
TEST_F(GateTest, AcceptsItsTokensUntilTheyExpire) {
  const Gate::IssuedToken issued = issue();
  EXPECT_EQ(must(run(gate_.identify(issued.text))).scope, "app");
  const auto next = make();
  EXPECT_EQ(must(run(next->identify(issued.text))).token_id, issued.token.id);
  clock_.advance_ms(60'000);
  EXPECT_EQ(reason_of(run(gate_.identify(issued.text))), "unauthorized");
  EXPECT_EQ(reason_of(run(make()->identify(issued.text))), "unauthorized");
}

// The stored id and hash of a token do not work as a token.
TEST_F(GateTest, StoresNoUsableToken) {
  const Gate::IssuedToken issued = issue();
  for (const Token& kept : must(read_tokens(store_))) {
    for (const std::string& text : {kept.id, kept.hash, "dro_" + kept.id + "_" + kept.hash}) {
      EXPECT_EQ(reason_of(run(gate_.identify(text))), "unauthorized");
      EXPECT_EQ(issued.text.find(kept.hash), std::string::npos);
    }
  }
}

// A revoked token stops working, now and after a restart. Revoking an unknown token is not_found.
TEST_F(GateTest, RevokesTokens) {
  const Gate::IssuedToken issued = issue();
  EXPECT_TRUE(run(gate_.revoke(issued.token.id)));
  EXPECT_TRUE(run(gate_.revoke(issued.token.id)));
  EXPECT_EQ(reason_of(run(gate_.identify(issued.text))), "unauthorized");
  EXPECT_EQ(reason_of(run(make()->identify(issued.text))), "unauthorized");
  EXPECT_EQ(reason_of(run(gate_.revoke("tok_of_nobody"))), "not_found");
}

// If the disk fails, a token that was not recorded is not issued, and a failed revocation is an
// error that can be retried.
TEST_F(GateTest, SurvivesAFailingDisk) {
  store_.break_write(1, testing::BreakWhen::before);
  EXPECT_FALSE(run(gate_.issue({.rights = *parse_rights("read"), .ttl_ms = 1'000})));
  EXPECT_TRUE(run(gate_.tokens()).empty());
  const Gate::IssuedToken issued = issue();
  store_.break_write(1, testing::BreakWhen::before);
  EXPECT_FALSE(run(gate_.revoke(issued.token.id)));
  issue();  // Reads the table again, which lacks the revocation.
  EXPECT_EQ(reason_of(run(gate_.identify(issued.text))), "unauthorized");
  EXPECT_TRUE(run(gate_.revoke(issued.token.id)));
  EXPECT_EQ(reason_of(run(make()->identify(issued.text))), "unauthorized");
}

// The gate learns from the log of tokens that another writer issued or revoked. A new token does
// not work until the table is readable.
TEST_F(GateTest, LearnsFromTheLog) {
  const auto other = make();
  const Gate::IssuedToken issued =
      must(run(other->issue({.scope = "app", .rights = *parse_rights("read"), .ttl_ms = 60'000})));
  store_.break_reads(true);
  EXPECT_EQ(reason_of(run(gate_.identify(issued.text))), "unauthorized");
  store_.break_reads(false);
  EXPECT_EQ(must(run(gate_.identify(issued.text))).token_id, issued.token.id);
  EXPECT_EQ(run(gate_.tokens()).size(), 1u);
  must(write(revoke_token(issued.token.id, clock_.wall_ms())));
  EXPECT_EQ(reason_of(run(gate_.identify(issued.text))), "unauthorized");
  EXPECT_EQ(reason_of(run(other->identify(issued.text))), "unauthorized");
}

// R15: a run's token works while the run is active. A token of an unknown run never works.
TEST_F(GateTest, AcceptsARunsTokenWhileItIsActive) {
  const RunId id = submit("app");
  const std::string token = gate_.of_run(id);
  EXPECT_EQ(must(run(gate_.identify(token))).scope, "app/" + id.str());
  run::Ended ended;
  ended.id = id;
  ended.ending = run::Exited{0};
  ended.started_at = clock_.wall_ms();
  must(write_to(store_, run::Fact(ended)));
  EXPECT_EQ(reason_of(run(gate_.identify(token))), "unauthorized");
  EXPECT_EQ(reason_of(run(gate_.identify(gate_.of_run(ids_.next())))), "unauthorized");
}

// A browser session is the owner's, and becomes invalid with the owner's token.
TEST_F(GateTest, EndsSessionsWithTheOwnersToken) {
  const Gate::IssuedToken session = must(run(gate_.begin_session("localhost:7777")));
  EXPECT_TRUE(must(run(gate_.identify(session.text))).is_owner);
  EXPECT_EQ(reason_of(run(make("dro_owner_y")->identify(session.text))), "unauthorized");
}

// R15: a run whose record is not in memory is read beside the loop, which serves others meanwhile.
TEST_F(GateTest, WaitsForARunsRecord) {
  const RunId id = submit("app");
  kept_.reopen();  // Before the first question: the readers keep their connections.
  const Gate::IssuedToken other = issue();
  EXPECT_TRUE(run(gate_.identify(other.text)));
  store_.hold_reads(true);
  std::optional<Result<Grant>> answer;
  asio::co_spawn(
      loop_, gate_.identify(gate_.of_run(id)),
      [&](const std::exception_ptr&, Result<Grant> grant) { answer = std::move(grant); });
  loop_.restart();
  while (store_.held_reads() == 0) loop_.poll();
  EXPECT_TRUE(run(gate_.identify(other.text)));
  EXPECT_FALSE(answer);
  store_.hold_reads(false);
  while (!answer) loop_.run_one();
  EXPECT_EQ(must(*answer).scope, "app/" + id.str());
}

// A login code opens one browser session, within a minute.
TEST_F(GateTest, AcceptsACodeOnce) {
  const std::string code = must(gate_.make_code());
  EXPECT_FALSE(gate_.take_code(""));
  EXPECT_FALSE(gate_.take_code(code + "0"));
  EXPECT_TRUE(gate_.take_code(code));
  EXPECT_FALSE(gate_.take_code(code));
  const std::string late = must(gate_.make_code());
  clock_.advance_ms(limits::kLoginCodeMs);
  EXPECT_FALSE(gate_.take_code(late));
}

// A browser session ends when it is not used for a time, however old it is; a use moves its end,
// also for the next daemon; and it has a maximum age.
TEST_F(GateTest, ASessionEndsWithoutUse) {
  const Gate::IssuedToken idle = must(run(gate_.begin_session("localhost:7777")));
  const Gate::IssuedToken used = must(run(gate_.begin_session("localhost:7777")));
  EXPECT_EQ(must(run(gate_.identify(used.text))).session_host, "localhost:7777");
  clock_.advance_ms(limits::kBrowserSessionIdleMs - 1);
  EXPECT_TRUE(run(gate_.identify(used.text)));
  loop_.run();  // Stores it.
  clock_.advance_ms(1);
  EXPECT_EQ(reason_of(run(gate_.identify(idle.text))), "unauthorized");
  EXPECT_TRUE(run(gate_.identify(used.text)));
  EXPECT_TRUE(run(make()->identify(used.text)));
  std::int64_t age = limits::kBrowserSessionIdleMs;
  for (; age < limits::kBrowserSessionMs; age += limits::kBrowserSessionIdleMs / 2) {
    EXPECT_TRUE(run(gate_.identify(used.text))) << age;
    clock_.advance_ms(limits::kBrowserSessionIdleMs / 2);
  }
  EXPECT_EQ(reason_of(run(gate_.identify(used.text))), "unauthorized");
}

// A use is not stored at every request.
TEST_F(GateTest, StoresTheUseOfASessionRarely) {
  const Gate::IssuedToken used = must(run(gate_.begin_session("localhost:7777")));
  clock_.advance_ms(limits::kBrowserSessionNoteMs - 1);
  EXPECT_TRUE(run(gate_.identify(used.text)));
  EXPECT_EQ(loop_.poll(), 0U);
  clock_.advance_ms(1);
  EXPECT_TRUE(run(gate_.identify(used.text)));
  loop_.restart();
  EXPECT_GT(loop_.poll(), 0U);
  EXPECT_TRUE(run(gate_.identify(used.text)));
  loop_.restart();
  EXPECT_EQ(loop_.poll(), 0U);
}

// The number of unused login codes is limited.
TEST_F(GateTest, LimitsUnusedCodes) {
  for (size_t i = 0; i < limits::kLoginCodesMax; ++i) must(gate_.make_code());
  EXPECT_EQ(reason_of(gate_.make_code()), "too_many_codes");
  clock_.advance_ms(limits::kLoginCodeMs);
  EXPECT_TRUE(gate_.make_code());
}

}  // namespace
}  // namespace drover::access
