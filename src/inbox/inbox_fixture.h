// An inbox over a real store, with a clock and a timer that the test sets.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>

#include "inbox/deadlines.h"
#include "inbox/inbox.h"
#include "inbox/request_body.h"
#include "inbox/stored_entry.h"
#include "inbox/tables.h"
#include "run/transition.h"
#include "store/store_contract.h"
#include "testing/breaking_store.h"
#include "testing/clock.h"
#include "testing/directory.h"
#include "testing/manual_timer.h"
#include "testing/store.h"
#include "testing/until.h"

namespace drover::inbox {

class InboxTest : public ::testing::Test {
 protected:
  run::Record submit(const std::string& scope = "default") {
    run::Record record;
    record.id = ids_.next();
    record.trace_id = record.id.trace_id();
    record.kind = run::kCommand;
    record.scope = scope;
    record.lane = "default";
    record.queued_at = clock_.wall_ms();
    store::must(store::write_to(
        kept_, run::Fact(run::Submitted{.record = record, .key = {}, .digest = {}})));
    return record;
  }

  template <class T>
  T run(asio::awaitable<T> work) {
    std::optional<T> out;
    asio::co_spawn(loop_, std::move(work), [&](std::exception_ptr bug, T result) {
      if (bug) std::rethrow_exception(bug);
      out.emplace(std::move(result));
    });
    until([&] { return out.has_value(); });
    return std::move(*out);
  }
  template <class F>
  void until(F f) {
    if (!testing::run_until(loop_, f)) throw std::runtime_error("stuck");
  }

  Result<Inbox::Added> ask(const run::Record& run, std::string_view body, std::string key = "") {
    auto entry = read_question(body, clock_.wall_ms());
    if (!entry) return std::unexpected(entry.error());
    return this->run(inbox_.add(run.id, std::move(*entry), std::move(key), caller_));
  }
  std::string asked(const run::Record& run, std::string_view body = R"({"question": "q?"})") {
    auto added = ask(run, body);
    EXPECT_TRUE(added) << added.error().message;
    return added ? added->entry.id : "";
  }
  Entry entry(const std::string& id) {
    return store::must(find_entry(kept_, access::owner_grant(), id));
  }
  // The types of the events about questions and reports.
  std::vector<std::string> events() {
    std::vector<std::string> out;
    for (const run::Event& event : store::must(kept_.events({.limit = 1'000}))) {
      if (!event.is_of_run()) out.push_back(event.type);
    }
    return out;
  }

  testing::ManualClock clock_;
  IdMaker ids_{clock_};
  testing::TestStore kept_{clock_, {.rooms = {kTables}}};
  testing::BreakingStore store_{kept_};
  testing::TestDirectory directory_;
  const Home home_{directory_.path(), directory_.path(), directory_.path()};
  asio::io_context loop_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_{loop_.get_executor()};
  bus::Bell bell_{store_, 0};
  spine::Spine spine_{loop_.get_executor(), store_, bell_};
  store::ReadPool reads_{loop_.get_executor(), kept_};
  const spine::Recorder record_ = [this](store::Write write) {
    return spine_.record(std::move(write));
  };
  std::vector<std::string> changed_;  // The ids that `changed` was called with.
  work::Pool workers_{loop_.get_executor(), work::Bounds{}};
  work::Caller caller_;  // Of what `ask` adds.
  Inbox inbox_{clock_,  reads_, workers_,
               record_, home_,  [this](const Entry& now) { changed_.push_back(now.id); }};
};

}  // namespace drover::inbox
