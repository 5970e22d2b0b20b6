// A Pool runs jobs beside the loop: bounded, fair, and ended with their callers.
#include "work/pool.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <mutex>
#include <semaphore>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace drover::work {
namespace {

using namespace std::chrono_literals;

class PoolTest : public ::testing::Test {
 protected:
  // Asks for a job; its result is stored when it comes.
  template <class Job>
  size_t ask(std::string caller, Job job, std::stop_token stop = {}) {
    return ask(Caller{.name = std::move(caller), .stop = std::move(stop)}, std::move(job));
  }
  template <class Job>
  size_t ask(Caller caller, Job job) {
    const size_t place = answers_.size();
    answers_.emplace_back();
    asio::co_spawn(
        loop_,
        [](PoolTest& test, size_t at, Caller of, Job what) -> asio::awaitable<void> {
          auto answer = co_await test.pool_->run(std::move(of), std::move(what));
          test.answers_[at] = answer ? *answer : answer.error().reason;
          EXPECT_EQ(std::this_thread::get_id(), test.thread_);
        }(*this, place, std::move(caller), std::move(job)),
        [this](const std::exception_ptr& thrown) { thrown_ = thrown ? thrown : thrown_; });
    return place;
  }
  // A job that waits for `gate`.
  auto held(std::string answer) {
    return [this, answer](const Turn&) -> Result<std::string> {
      gate_.acquire();
      return answer;
    };
  }
  template <class Until>
  void run_until(Until until) {
    while (!until()) loop_.run_one();
  }
  void run_until_answered(size_t place) {
    run_until([&] { return !answers_[place].empty(); });
  }
  void open(Bounds bounds) { pool_.emplace(loop_.get_executor(), bounds); }

  const std::thread::id thread_ = std::this_thread::get_id();
  asio::io_context loop_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{loop_.get_executor()};
  std::counting_semaphore<> gate_{0};
  std::vector<std::string> answers_;
  std::exception_ptr thrown_;
  std::optional<Pool> pool_;
};

// A job runs on another thread, and its result comes back to the loop's.
TEST_F(PoolTest, RunsBesideTheLoop) {
  open({.threads = 2});
  const size_t place = ask("a", [loop = thread_](const Turn&) -> Result<std::string> {
    return std::this_thread::get_id() == loop ? "on the loop" : "beside it";
  });
  run_until_answered(place);
  EXPECT_EQ(answers_[place], "beside it");
  EXPECT_EQ(pool_->running(), 0U);
}

// One caller never has all workers: another is served while all jobs of the first are held.
TEST_F(PoolTest, ServesAnotherCallerWhileOneIsBusy) {
  open({.threads = 2});
  for (int i = 0; i < 3; ++i) ask("busy", held("done"));
  const size_t other = ask("other", [](const Turn&) -> Result<std::string> { return "served"; });
  run_until_answered(other);
  EXPECT_EQ(answers_[other], "served");
  EXPECT_EQ(pool_->running(), 1U);
  EXPECT_EQ(pool_->waiting(), 2U);
  gate_.release(3);
  for (size_t i = 0; i < 3; ++i) run_until_answered(i);
}

// However many tokens there are, a worker and places to wait are left for the owner.
TEST_F(PoolTest, TokensLeaveAWorkerToTheOwner) {
  open({.threads = 3, .waiting_max = 8, .waiting_per_caller = 4});
  std::vector<size_t> held_ones;
  for (int i = 0; i < 12; ++i) {
    held_ones.push_back(
        ask(Caller{.name = "token/" + std::to_string(i), .is_token = true}, held("done")));
  }
  run_until_answered(held_ones.back());
  EXPECT_EQ(answers_[held_ones.back()], "overloaded");
  EXPECT_EQ(pool_->running(), 2U);
  EXPECT_EQ(pool_->waiting(), 4U);
  const size_t owner = ask("", [](const Turn&) -> Result<std::string> { return "served"; });
  run_until_answered(owner);
  EXPECT_EQ(answers_[owner], "served");
  gate_.release(12);
  for (const size_t place : held_ones) run_until_answered(place);
}

// Jobs that need much memory wait for each other; those of tokens for half of it.
TEST_F(PoolTest, BoundsTheMemoryOfItsJobs) {
  open({.threads = 4, .bytes_max = 100});
  ask(Caller{.name = "a", .is_token = true, .bytes = 50}, held("first"));
  ask(Caller{.name = "b", .is_token = true, .bytes = 50}, held("second"));
  ask(Caller{.bytes = 50}, held("owner"));
  ask(Caller{.bytes = 50}, held("owner again"));
  const size_t small = ask(Caller{.name = "b2", .is_token = true},
                           [](const Turn&) -> Result<std::string> { return "served"; });
  run_until_answered(small);
  EXPECT_EQ(pool_->running(), 2U);
  EXPECT_EQ(pool_->waiting(), 2U);
  gate_.release(4);
  for (size_t i = 0; i < 4; ++i) run_until_answered(i);
}

// Beyond its line, a caller is refused with a reason, and the others are not.
TEST_F(PoolTest, RefusesWhatIsTooMuch) {
  open({.threads = 2, .waiting_max = 3, .waiting_per_caller = 1});
  ask("a", held("first"));
  ask("a", held("second"));
  const size_t third = ask("a", held("third"));
  run_until_answered(third);
  EXPECT_EQ(answers_[third], "overloaded");
  const size_t other = ask("b", [](const Turn&) -> Result<std::string> { return "served"; });
  run_until_answered(other);
  EXPECT_EQ(answers_[other], "served");
  gate_.release(2);
  run_until_answered(0);
  run_until_answered(1);
  EXPECT_EQ(answers_[1], "second");
}

// A job ends with its caller, whether it waits or runs.
TEST_F(PoolTest, EndsAJobWithItsCaller) {
  open({.threads = 1});
  std::stop_source first, second;
  const auto endless = [](const Turn& turn) -> Result<std::string> {
    while (true) {
      if (auto ok = turn.check(); !ok) return std::unexpected(ok.error());
    }
  };
  ask("a", endless, first.get_token());
  ask("a", endless, second.get_token());
  run_until([&] { return pool_->running() == 1 && pool_->waiting() == 1; });
  second.request_stop();
  run_until_answered(1);
  EXPECT_EQ(answers_[1], "canceled");
  EXPECT_EQ(pool_->waiting(), 0U);
  first.request_stop();
  run_until_answered(0);
  EXPECT_EQ(answers_[0], "canceled");
}

// A job that uses more than its time gets `work_too_long`.
TEST_F(PoolTest, BoundsTheTimeOfAJob) {
  open({.threads = 1, .cpu_max = 1ms});
  const size_t place = ask("a", [](const Turn& turn) -> Result<std::string> {
    while (true) {
      if (auto ok = turn.check(); !ok) return std::unexpected(ok.error());
    }
  });
  run_until_answered(place);
  EXPECT_EQ(answers_[place], "work_too_long");
}

// An exception of a job reaches its caller, and the worker lives on.
TEST_F(PoolTest, PassesOnAnException) {
  open({.threads = 1});
  ask("a", [](const Turn&) -> Result<std::string> { throw std::runtime_error("a bug"); });
  const size_t place = ask("a", [](const Turn&) -> Result<std::string> { return "served"; });
  run_until_answered(place);
  EXPECT_TRUE(thrown_);
}

// Each worker is called once, and none while a job runs; the end of the last job is reported.
TEST_F(PoolTest, CallsEachWorkerWhenAllRest) {
  open({.threads = 3});
  int rests = 0;
  pool_->on_rest([&] { ++rests; });
  std::mutex mutex;
  std::multiset<std::thread::id> called;
  std::counting_semaphore<> calls(0);
  const auto call = [&] {
    const std::lock_guard turn(mutex);
    called.insert(std::this_thread::get_id());
    calls.release();
  };
  const size_t place = ask("a", held("served"));
  run_until([&] { return pool_->running() == 1; });
  pool_->on_each_worker(call);  // Nobody is called.
  gate_.release();
  run_until_answered(place);
  EXPECT_EQ(rests, 1);
  pool_->on_each_worker(call);
  for (int i = 0; i < 3; ++i) calls.acquire();
  const std::lock_guard turn(mutex);
  EXPECT_EQ(called.size(), 3U);
  EXPECT_EQ(std::set(called.begin(), called.end()).size(), 3U);
}

// A pool that closes ends what runs.
TEST_F(PoolTest, EndsAllJobsWhenItCloses) {
  open({.threads = 1});
  ask("a", [](const Turn& turn) -> Result<std::string> {
    while (turn.check()) {
    }
    return "ended";
  });
  run_until([&] { return pool_->running() == 1; });
  pool_.reset();
}

}  // namespace
}  // namespace drover::work
