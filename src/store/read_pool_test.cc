// Reads beside the loop: each sees one moment, ends with its caller, and makes way for the
// writer.
#include "store/read_pool.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <semaphore>

#include "store/store_contract.h"
#include "testing/clock.h"
#include "testing/store.h"

namespace drover::store {
namespace {

class ReadPoolTest : public ::testing::Test {
 protected:
  void change() { ASSERT_TRUE(write_to(store_, LaneSet{.name = "lane", .limit = ++limit_})); }
  template <class Ask>
  void ask(Ask ask, std::stop_token stop = {}) {
    asio::co_spawn(
        loop_,
        [](ReadPoolTest& test, Ask what, std::stop_token token) -> asio::awaitable<void> {
          auto answer =
              co_await test.reads_.ask({.name = "", .stop = std::move(token)}, std::move(what));
          test.answer_ = answer ? std::to_string(*answer) : answer.error().reason;
        }(*this, std::move(ask), std::move(stop)),
        [](const std::exception_ptr& thrown) { EXPECT_FALSE(thrown); });
  }
  std::string answer() {
    while (answer_.empty()) loop_.run_one();
    return std::exchange(answer_, {});
  }

  testing::ManualClock clock_;
  testing::TestStore store_{clock_, {.wal_pages_max = 20}};
  std::int64_t limit_ = 0;
  asio::io_context loop_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{loop_.get_executor()};
  std::string answer_;
  std::binary_semaphore began_{0};
  std::binary_semaphore resume_{0};
  ReadPool reads_{loop_.get_executor(), store_};
};

// All answers within one read are of one moment; the next read sees what came since.
TEST_F(ReadPoolTest, AReadSeesOneMoment) {
  change();
  ask([this](Reads& reads) -> Result<std::int64_t> {
    const auto before = reads.last_seq();
    began_.release();
    resume_.acquire();
    const auto after = reads.last_seq();
    return before && after ? *after - *before : -1;
  });
  loop_.run_one();
  began_.acquire();
  change();
  resume_.release();
  EXPECT_EQ(answer(), "0");
  ask([](Reads& reads) { return reads.last_seq(); });
  EXPECT_EQ(answer(), "2");
}

// A read ends with its caller.
TEST_F(ReadPoolTest, EndsWithItsCaller) {
  std::stop_source left;
  ask(
      [this](Reads& reads) -> Result<std::int64_t> {
        began_.release();
        while (true) {
          if (auto seq = reads.last_seq(); !seq) return seq;
        }
      },
      left.get_token());
  loop_.run_one();
  began_.acquire();
  left.request_stop();
  EXPECT_EQ(answer(), "canceled");
}

// Also within one long statement.
TEST_F(ReadPoolTest, EndsWithinALongStatement) {
  std::stop_source left;
  ask(
      [this](Reads& reads) -> Result<std::int64_t> {
        began_.release();
        const auto rows = reads.query(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            "SELECT count(*) FROM n",
            {});
        return rows ? 0 : Result<std::int64_t>(std::unexpected(rows.error()));
      },
      left.get_token());
  loop_.run_one();
  began_.acquire();
  left.request_stop();
  EXPECT_EQ(answer(), "canceled");
}

// A snapshot that keeps the WAL from being reused is interrupted by the writer, and its read is
// repeated.
TEST_F(ReadPoolTest, IsRepeatedAfterTheWriterInterruptedIt) {
  std::atomic<int> asked = 0;
  change();
  ask([this, &asked](Reads& reads) -> Result<std::int64_t> {
    ++asked;
    if (asked > 1) return asked.load();
    auto seq = reads.last_seq();
    began_.release();
    while (seq) seq = reads.last_seq();
    return seq;
  });
  loop_.run_one();
  began_.acquire();
  while (asked == 1) change();
  EXPECT_EQ(answer(), "2");
}

}  // namespace
}  // namespace drover::store
