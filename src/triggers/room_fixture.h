// A RoomFixture is what the parts of this room need: a clock that the test sets, a real store, and
// a loop on the test's thread.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>

#include "spine/spine.h"
#include "store/read_pool.h"
#include "store/store_contract.h"
#include "testing/clock.h"
#include "testing/store.h"
#include "triggers/definition/spec.h"
#include "triggers/definition/stored_trigger.h"
#include "triggers/definition/trigger_change.h"
#include "triggers/ledger/occurrence.h"
#include "triggers/tables.h"
#include "work/pool.h"

namespace drover::triggers {

using store::must;

constexpr WallMs kAdded = 1'800'000'000'000;

class RoomFixture : public ::testing::Test {
 protected:
  // With `writes_left` 0, the store cannot be written.
  spine::Recorder recorder() {
    return [this](store::Write write) -> boost::asio::awaitable<Result<store::Written>> {
      if (writes_left == 0) co_return fail(ErrorCode::unavailable, "store_full", "no space");
      --writes_left;
      ++writes;
      co_return store::write_to(store_, std::move(write));
    };
  }
  template <class T>
  T run(boost::asio::awaitable<T> work) {
    std::optional<T> out;
    boost::asio::co_spawn(loop_, std::move(work), [&](std::exception_ptr bug, T result) {
      if (bug) std::rethrow_exception(bug);
      out.emplace(std::move(result));
    });
    loop_.restart();
    while (!out) loop_.run_one();
    return std::move(*out);
  }
  static void ok(const Result<>& result) {
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
  }
  StoredTrigger add(const std::string& name, const std::string& source) {
    const std::string text = R"({"name": ")" + name +
                             R"(", "run": {"command": ["x"], "cwd": "/"}, "source": )" + source +
                             "}";
    const auto trigger =
        must(new_trigger(must(read_spec(text, clock_.wall_ms())), clock_.wall_ms(), ""));
    must(store::write_to(
        store_, store::Work([trigger](store::Transaction& t) { return write_added(t, trigger); })));
    return trigger;
  }
  StoredTrigger stored(const std::string& name) { return must(find_trigger(store_, name)); }
  std::vector<Occurrence> occurrences(const std::string& name) {
    return must(ledger(store_, {.trigger = name, .limit = 1'000}));
  }

  int writes_left = -1;  // No limit.
  int writes = 0;
  testing::ManualClock clock_{kAdded};
  testing::TestStore store_{clock_, {.rooms = {kTables}}};
  boost::asio::io_context loop_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{
      loop_.get_executor()};
  store::ReadPool reads_{loop_.get_executor(), store_};
  work::Pool pool_{loop_.get_executor(), work::Bounds{}};
};

}  // namespace drover::triggers
