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

class AGate : public ::testing::Test {
 protected:
  AGate() : owned_(make()), gate_(*owned_) {}

  // A daemon's gate, or the next one's.
  std::unique_ptr<Gate> make(const std::string& owner = "dro_owner_x") {
    auto gate = std::make_unique<Gate>(
        Keys(owner), loop_.get_executor(), store_, bell_, clock_,
        [this](store::Write wish) -> asio::awaitable<Result<store::Written>> {
          co_return write(std::move(wish));
        });
    if (auto ok = gate->load(); !ok) throw std::runtime_error(ok.error().message);
    return gate;
  }
  // As the spine does: the bell is rung after the commit.
  Result<store::Written> write(store::Write wish) {
    auto written = write_to(store_, std::move(wish));
    if (written) bell_.ring(written->events);
    return written;
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
  Gate::IssuedToken give(std::int64_t ttl_ms = 60'000) {
    return must(
        run(gate_.give({.scope = "app", .rights = *parse_rights("read"), .ttl_ms = ttl_ms})));
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
  std::unique_ptr<Gate> owned_;
  Gate& gate_;
};

// A token opens what it was made for until its time is over, also for the next daemon.
TEST_F(AGate, KnowsWhatItGave) {
  const Gate::IssuedToken given = give();
  EXPECT_EQ(must(gate_.identify(given.text)).scope, "app");
  const auto next = make();
  EXPECT_EQ(must(next->identify(given.text)).token_id, given.token.id);
  clock_.advance_ms(60'000);
  EXPECT_EQ(reason_of(gate_.identify(given.text)), "unauthorized");
  EXPECT_EQ(reason_of(make()->identify(given.text)), "unauthorized");
}

// What is kept of a token opens nothing: neither its id nor its hash.
TEST_F(AGate, KeepsNoKey) {
  const Gate::IssuedToken given = give();
  for (const Token& kept : must(read_tokens(store_))) {
    for (const std::string& text : {kept.id, kept.hash, "dro_" + kept.id + "_" + kept.hash}) {
      EXPECT_EQ(reason_of(gate_.identify(text)), "unauthorized");
      EXPECT_EQ(given.text.find(kept.hash), std::string::npos);
    }
  }
}

// A revoked one is dead, now and for the next daemon; revoking what is not there is not_found.
TEST_F(AGate, TakesBack) {
  const Gate::IssuedToken given = give();
  EXPECT_TRUE(run(gate_.revoke(given.token.id)));
  EXPECT_TRUE(run(gate_.revoke(given.token.id)));
  EXPECT_EQ(reason_of(gate_.identify(given.text)), "unauthorized");
  EXPECT_EQ(reason_of(make()->identify(given.text)), "unauthorized");
  EXPECT_EQ(reason_of(run(gate_.revoke("tok_of_nobody"))), "not_found");
}

// A disk that fails: a token that was not recorded is not given, and a revocation that was not is
// an error that can be repeated until it is.
TEST_F(AGate, ABrokenDisk) {
  store_.break_write(1, testing::BreakWhen::before);
  EXPECT_FALSE(run(gate_.give({.rights = *parse_rights("read"), .ttl_ms = 1'000})));
  EXPECT_TRUE(gate_.tokens().empty());
  const Gate::IssuedToken given = give();
  store_.break_write(1, testing::BreakWhen::before);
  EXPECT_FALSE(run(gate_.revoke(given.token.id)));
  give();  // The table is read again, and does not know of it.
  EXPECT_EQ(reason_of(gate_.identify(given.text)), "unauthorized");
  EXPECT_TRUE(run(gate_.revoke(given.token.id)));
  EXPECT_EQ(reason_of(make()->identify(given.text)), "unauthorized");
}

// A token that another writer issues or revokes is known from the log, at the next question; until
// the table can be read, a new one opens nothing.
TEST_F(AGate, LearnsFromTheLog) {
  const auto other = make();
  const Gate::IssuedToken given =
      must(run(other->give({.scope = "app", .rights = *parse_rights("read"), .ttl_ms = 60'000})));
  store_.break_reads(true);
  EXPECT_EQ(reason_of(gate_.identify(given.text)), "unauthorized");
  store_.break_reads(false);
  EXPECT_EQ(must(gate_.identify(given.text)).token_id, given.token.id);
  EXPECT_EQ(gate_.tokens().size(), 1u);
  must(write(revoke_token(given.token.id, clock_.wall_ms())));
  EXPECT_EQ(reason_of(gate_.identify(given.text)), "unauthorized");
  EXPECT_EQ(reason_of(other->identify(given.text)), "unauthorized");
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
  must(write_to(store_, run::Fact(ended)));
  EXPECT_EQ(reason_of(gate_.identify(token)), "unauthorized");
  EXPECT_EQ(reason_of(gate_.identify(gate_.of_run(ids_.next()))), "unauthorized");
}

// A session is the owner's; it goes with a new owner's token.
TEST_F(AGate, ASession) {
  const Gate::IssuedToken session = must(run(gate_.begin_session("browser")));
  EXPECT_TRUE(must(gate_.identify(session.text)).is_owner);
  EXPECT_EQ(reason_of(make("dro_owner_y")->identify(session.text)), "unauthorized");
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
