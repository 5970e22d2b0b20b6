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

class AGate : public ::testing::Test {
 protected:
  AGate() : gate_(make()) {}

  Gate make() {
    Gate gate(Keys("dro_owner_x"), store_, clock_,
              [this](store::Write write) -> asio::awaitable<Result<store::Written>> {
                std::optional<Result<store::Written>> answer;
                store_.write(std::move(write),
                             [&](Result<store::Written> w) { answer.emplace(std::move(w)); });
                memory_.flush();
                co_return std::move(*answer);
              });
    if (auto ok = gate.load(); !ok) throw std::runtime_error(ok.error().message);
    return gate;
  }
  template <class T>
  T run(asio::awaitable<T> work) {
    asio::io_context loop;
    std::optional<T> out;
    asio::co_spawn(loop, std::move(work), [&](std::exception_ptr bug, T result) {
      if (bug) std::rethrow_exception(bug);
      out.emplace(std::move(result));
    });
    loop.run();
    return std::move(*out);
  }
  Gate::Given give(std::int64_t ttl_ms = 60'000) {
    return must(
        run(gate_.give({.scope = "app", .rights = *parse_rights("read"), .ttl_ms = ttl_ms})));
  }
  RunId submit(const std::string& scope) {
    run::Record r;
    r.id = ids_.next();
    r.scope = scope;
    r.lane = "default";
    must(write(run::Fact(run::Submitted{r, "", ""})));
    return r.id;
  }
  Result<store::Written> write(store::Write write) {
    std::optional<Result<store::Written>> answer;
    memory_.write(std::move(write),
                  [&](Result<store::Written> w) { answer.emplace(std::move(w)); });
    memory_.flush();
    return std::move(*answer);
  }

  testing::ManualClock clock_;
  IdMaker ids_{clock_};
  testing::MemoryStore memory_{clock_, testing::Telling::at_flush};
  testing::BreakingStore store_{memory_};
  Gate gate_;
};

// A token opens what it was made for until its time is over, also for the next daemon.
TEST_F(AGate, KnowsWhatItGave) {
  const Gate::Given given = give();
  EXPECT_EQ(must(gate_.identify(given.text)).scope, "app");
  Gate next = make();
  EXPECT_EQ(must(next.identify(given.text)).token_id, given.token.id);
  clock_.advance_ms(60'000);
  EXPECT_EQ(reason_of(gate_.identify(given.text)), "unauthorized");
  EXPECT_EQ(reason_of(make().identify(given.text)), "unauthorized");
}

// What is kept of a token opens nothing: neither its id nor its hash.
TEST_F(AGate, KeepsNoKey) {
  const Gate::Given given = give();
  for (const store::Token& kept : must(store_.tokens())) {
    for (const std::string& text : {kept.id, kept.hash, "dro_" + kept.id + "_" + kept.hash}) {
      EXPECT_EQ(reason_of(gate_.identify(text)), "unauthorized");
      EXPECT_EQ(given.text.find(kept.hash), std::string::npos);
    }
  }
}

// A revoked one is dead, now and for the next daemon; revoking what is not there is not_found.
TEST_F(AGate, TakesBack) {
  const Gate::Given given = give();
  EXPECT_TRUE(run(gate_.revoke(given.token.id)));
  EXPECT_TRUE(run(gate_.revoke(given.token.id)));
  EXPECT_EQ(reason_of(gate_.identify(given.text)), "unauthorized");
  EXPECT_EQ(reason_of(make().identify(given.text)), "unauthorized");
  EXPECT_EQ(reason_of(run(gate_.revoke("tok_of_nobody"))), "not_found");
}

// A disk that fails: a token that was not recorded is not given, and a revocation that was not is
// an error that can be repeated until it is.
TEST_F(AGate, ABrokenDisk) {
  store_.break_write(1, testing::BreakWhen::before);
  EXPECT_FALSE(run(gate_.give({.rights = *parse_rights("read"), .ttl_ms = 1'000})));
  EXPECT_TRUE(gate_.tokens().empty());
  const Gate::Given given = give();
  store_.break_write(1, testing::BreakWhen::before);
  EXPECT_FALSE(run(gate_.revoke(given.token.id)));
  EXPECT_EQ(reason_of(gate_.identify(given.text)), "unauthorized");
  EXPECT_TRUE(run(gate_.revoke(given.token.id)));
  EXPECT_EQ(reason_of(make().identify(given.text)), "unauthorized");
}

// R15: a run's token lives as long as its run; no run, no token.
TEST_F(AGate, ARunsToken) {
  const RunId id = submit("app");
  const std::string token = gate_.of_run(id);
  EXPECT_EQ(must(gate_.identify(token)).scope, "app/" + id.str());
  run::Ended ended;
  ended.id = id;
  ended.ending = run::Exited{0};
  ended.started_at = clock_.wall_ms();
  must(write(run::Fact(ended)));
  EXPECT_EQ(reason_of(gate_.identify(token)), "unauthorized");
  EXPECT_EQ(reason_of(gate_.identify(gate_.of_run(ids_.next()))), "unauthorized");
}

// A session is the owner's; it goes with a new owner's token.
TEST_F(AGate, ASession) {
  const Gate::Given session = must(run(gate_.begin_session("browser")));
  EXPECT_TRUE(must(gate_.identify(session.text)).is_owner);
  Gate other(Keys("dro_owner_y"), store_, clock_, {});
  ASSERT_TRUE(other.load());
  EXPECT_EQ(reason_of(other.identify(session.text)), "unauthorized");
}

// A code opens one session, within a minute.
TEST_F(AGate, ACodeWorksOnce) {
  const std::string code = must(gate_.make_code());
  EXPECT_FALSE(gate_.take_code(""));
  EXPECT_FALSE(gate_.take_code(code + "0"));
  EXPECT_TRUE(gate_.take_code(code));
  EXPECT_FALSE(gate_.take_code(code));
  const std::string late = must(gate_.make_code());
  clock_.advance_ms(limits::kLoginCodeMs);
  EXPECT_FALSE(gate_.take_code(late));
}

// However many links are asked for, only so many wait at a time.
TEST_F(AGate, CodesAreBounded) {
  for (size_t i = 0; i < limits::kLoginCodesMax; ++i) must(gate_.make_code());
  EXPECT_EQ(reason_of(gate_.make_code()), "too_many_codes");
  clock_.advance_ms(limits::kLoginCodeMs);
  EXPECT_TRUE(gate_.make_code());
}

}  // namespace
}  // namespace drover::access
