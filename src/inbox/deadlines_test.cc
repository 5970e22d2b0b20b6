#include "inbox/deadlines.h"

#include "inbox/inbox_fixture.h"

namespace drover::inbox {
namespace {

class DeadlinesTest : public InboxTest {
 protected:
  void begin() {
    auto timer = std::make_unique<testing::ManualTimer>();
    timer_ = timer.get();
    deadlines_.emplace(loop_.get_executor(), clock_, reads_, record_, std::move(timer));
    deadlines_->begin();
  }
  // Until the timer is set to the next deadline; not set: until it waits for a question.
  void until_armed(std::optional<WallMs> at) {
    until([&] { return timer_->at() == at; });
  }

  testing::ManualTimer* timer_ = nullptr;
  std::optional<Deadlines> deadlines_;
};

// A15: questions expire at their deadlines, the earliest first; others do not, nor does one that
// never expires.
TEST_F(DeadlinesTest, QuestionsExpire) {
  const run::Record run = submit();
  const WallMs start = clock_.wall_ms();
  const std::string never = asked(run, R"({"question": "a", "timeout": "never"})");
  const std::string late = asked(run, R"({"question": "b", "timeout": "2h"})");
  begin();
  until_armed(start + 7'200'000);
  const std::string soon = asked(run, R"({"question": "c", "timeout": "1h"})");
  deadlines_->wake();
  until_armed(start + 3'600'000);
  timer_->ring();  // The clock was set: too early.
  until_armed(start + 3'600'000);
  EXPECT_EQ(entry(soon).state, State::open);
  clock_.advance_ms(3'600'000);
  timer_->ring();
  until_armed(start + 7'200'000);
  EXPECT_EQ(entry(soon).state, State::expired);
  EXPECT_EQ(entry(late).state, State::open);
  clock_.advance_ms(3'600'000);
  timer_->ring();
  until([&] { return entry(late).state == State::expired; });
  EXPECT_EQ(entry(never).state, State::open);
  EXPECT_EQ(store::reason_of(this->run(inbox_.answer(soon, {.choice = {}, .text = "x"}, "owner"))),
            "question_expired");
}

// A deadline that passes while no daemon runs is recorded by the next one, once.
TEST_F(DeadlinesTest, ADeadlineOfAnEarlierDaemonIsKept) {
  const run::Record run = submit();
  const std::string id = asked(run, R"({"question": "a", "timeout": "1h"})");
  clock_.advance_ms(7'200'000);
  begin();
  until([&] { return entry(id).state == State::expired; });
  EXPECT_EQ(events(), (std::vector<std::string>{"question.asked", "question.expired"}));
}

// An answer that is recorded first wins against the timer; a store that fails is tried again.
TEST_F(DeadlinesTest, AFailingStoreIsRetried) {
  const run::Record run = submit();
  const std::string id = asked(run, R"({"question": "a", "timeout": "1h"})");
  clock_.advance_ms(3'600'000);
  store_.break_writes(true);
  begin();
  until_armed(clock_.wall_ms() + 500);
  EXPECT_EQ(entry(id).state, State::open);
  store_.break_writes(false);
  timer_->ring();
  until([&] { return entry(id).state == State::expired; });
}

}  // namespace
}  // namespace drover::inbox
