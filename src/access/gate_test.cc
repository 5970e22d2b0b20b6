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
        Keys(owner), loop_.get_executor(), store_, bell_, clock_,
        [this](store::Write change) -> asio::awaitable<Result<store::Written>> {
          co_return write(std::move(change));
        });
    if (auto ok = gate->load(); !ok) throw std::runtime_error(ok.error().message);
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
    asio::io_context loop;
    std::optional<T> out;
    asio::co_spawn(loop, std::move(work), [&](std::exception_ptr bug, T result) {
      if (bug) std::rethrow_exception(bug);
      out.emplace(std::move(result));
    });
    loop.run();
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
  std::unique_ptr<Gate> owned_;
  Gate& gate_;
};

// A token allows what it was issued for until it expires, also after a restart.
TEST_F(GateTest, AcceptsItsTokensUntilTheyExpire) {
  const Gate::IssuedToken issued = issue();
  EXPECT_EQ(must(gate_.identify(issued.text)).scope, "app");
  const auto next = make();
  EXPECT_EQ(must(next->identify(issued.text)).token_id, issued.token.id);
  clock_.advance_ms(60'000);
  EXPECT_EQ(reason_of(gate_.identify(issued.text)), "unauthorized");
  EXPECT_EQ(reason_of(make()->identify(issued.text)), "unauthorized");
}

// The stored id and hash of a token do not work as a token.
TEST_F(GateTest, StoresNoUsableToken) {
  const Gate::IssuedToken issued = issue();
  for (const Token& kept : must(read_tokens(store_))) {
    for (const std::string& text : {kept.id, kept.hash, "dro_" + kept.id + "_" + kept.hash}) {
      EXPECT_EQ(reason_of(gate_.identify(text)), "unauthorized");
      EXPECT_EQ(issued.text.find(kept.hash), std::string::npos);
    }
  }
}

// A revoked token stops working, now and after a restart. Revoking an unknown token is not_found.
TEST_F(GateTest, RevokesTokens) {
  const Gate::IssuedToken issued = issue();
  EXPECT_TRUE(run(gate_.revoke(issued.token.id)));
  EXPECT_TRUE(run(gate_.revoke(issued.token.id)));
  EXPECT_EQ(reason_of(gate_.identify(issued.text)), "unauthorized");
  EXPECT_EQ(reason_of(make()->identify(issued.text)), "unauthorized");
  EXPECT_EQ(reason_of(run(gate_.revoke("tok_of_nobody"))), "not_found");
}

// If the disk fails, a token that was not recorded is not issued, and a failed revocation is an
// error that can be retried.
TEST_F(GateTest, SurvivesAFailingDisk) {
  store_.break_write(1, testing::BreakWhen::before);
  EXPECT_FALSE(run(gate_.issue({.rights = *parse_rights("read"), .ttl_ms = 1'000})));
  EXPECT_TRUE(gate_.tokens().empty());
  const Gate::IssuedToken issued = issue();
  store_.break_write(1, testing::BreakWhen::before);
  EXPECT_FALSE(run(gate_.revoke(issued.token.id)));
  issue();  // Reads the table again, which lacks the revocation.
  EXPECT_EQ(reason_of(gate_.identify(issued.text)), "unauthorized");
  EXPECT_TRUE(run(gate_.revoke(issued.token.id)));
  EXPECT_EQ(reason_of(make()->identify(issued.text)), "unauthorized");
}

// The gate learns from the log of tokens that another writer issued or revoked. A new token does
// not work until the table is readable.
TEST_F(GateTest, LearnsFromTheLog) {
  const auto other = make();
  const Gate::IssuedToken issued =
      must(run(other->issue({.scope = "app", .rights = *parse_rights("read"), .ttl_ms = 60'000})));
  store_.break_reads(true);
  EXPECT_EQ(reason_of(gate_.identify(issued.text)), "unauthorized");
  store_.break_reads(false);
  EXPECT_EQ(must(gate_.identify(issued.text)).token_id, issued.token.id);
  EXPECT_EQ(gate_.tokens().size(), 1u);
  must(write(revoke_token(issued.token.id, clock_.wall_ms())));
  EXPECT_EQ(reason_of(gate_.identify(issued.text)), "unauthorized");
  EXPECT_EQ(reason_of(other->identify(issued.text)), "unauthorized");
}

// R15: a run's token works while the run is active. A token of an unknown run never works.
TEST_F(GateTest, AcceptsARunsTokenWhileItIsActive) {
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

// A browser session is the owner's, and becomes invalid with the owner's token.
TEST_F(GateTest, EndsSessionsWithTheOwnersToken) {
  const Gate::IssuedToken session = must(run(gate_.begin_session("browser")));
  EXPECT_TRUE(must(gate_.identify(session.text)).is_owner);
  EXPECT_EQ(reason_of(make("dro_owner_y")->identify(session.text)), "unauthorized");
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

// The number of unused login codes is limited.
TEST_F(GateTest, LimitsUnusedCodes) {
  for (size_t i = 0; i < limits::kLoginCodesMax; ++i) must(gate_.make_code());
  EXPECT_EQ(reason_of(gate_.make_code()), "too_many_codes");
  clock_.advance_ms(limits::kLoginCodeMs);
  EXPECT_TRUE(gate_.make_code());
}

}  // namespace
}  // namespace drover::access
