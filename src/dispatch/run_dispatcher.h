// The RunDispatcher is the Dispatcher of the real daemon: it sees every run through from its
// submission to its end, with keepers that may outlive it.
//
// What is on record is the store's; what is kept here (who waits in which lane, which runs are in
// flight) can be thrown away and made anew from it at any time. Lives on the daemon's loop.
//
//   run_dispatcher.cc  from the submission to the start and the end
//   run_control.cc     what people do to a run: cancel, signal, send, resize, remove
//   run_lanes.cc       lanes that change, and the places of those that wait in them
//   run_plans.cc       who waits for others, or for a time
//   run_retries.cc     another attempt, by itself or by hand
//   run_recovery.cc    what the last daemon left
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/home.h"
#include "dispatch/alarms.h"
#include "dispatch/dispatcher.h"
#include "dispatch/folders.h"
#include "dispatch/keeper_line.h"
#include "dispatch/keeper_watch.h"
#include "dispatch/lanes.h"
#include "dispatch/launcher.h"
#include "dispatch/recovery.h"
#include "dispatch/waits.h"
#include "process/cgroup.h"
#include "process/pid_ref.h"
#include "spine/spine.h"
#include "store/dependencies.h"

namespace drover::dispatch {

struct Settings {
  std::string keeper_program;
  std::uint32_t umask = 022;          // What commands get: that of whoever started the daemon.
  std::uint64_t descriptors_max = 0;  // The same for open files; 0: what the daemon has.
  process::CgroupPlace cgroups = {};  // For runs with limits.
  // What a run may call the daemon with; nothing: runs get no token.
  std::function<std::string(const RunId&)> token_of = {};
};

class RunDispatcher final : public Dispatcher {
 public:
  // Everything borrowed must outlive it.
  RunDispatcher(asio::any_io_executor loop, Home home, Settings settings, const Clock& clock,
                store::Store& store, spine::Spine& spine);

  // Starts the cradle, then makes true what the store says of runs that were active when the last
  // daemon went away. The doors open after this (H10).
  asio::awaitable<Result<>> recover();

  asio::awaitable<Result<store::Written>> submit(Submission submission) override;
  asio::awaitable<Result<CancelOutcome>> cancel(RunId id,
                                                std::optional<std::int64_t> grace_ms) override;
  asio::awaitable<Result<store::Written>> note(run::Fact fact) override;
  asio::awaitable<Result<>> remove(RunId id) override;
  asio::awaitable<Result<store::Written>> retry(Again again) override;
  asio::awaitable<Result<>> signal(RunId id, int number) override;
  asio::awaitable<Result<size_t>> send_input(RunId id, Typed typed) override;
  asio::awaitable<Result<>> resize(RunId id, TerminalSize size) override;
  asio::awaitable<Result<store::Lane>> set_lane(store::LaneSet wish) override;
  asio::awaitable<Result<>> remove_lane(std::string lane) override;
  asio::awaitable<Result<>> add_project(store::Project project) override;
  asio::awaitable<Result<>> remove_project(std::string id) override;
  asio::awaitable<Result<run::Record>> move(run::Moved wish) override;
  std::optional<size_t> ahead_of(const run::Record& record) const override {
    return lanes_.ahead_of(record);
  }
  size_t active() const override { return lanes_.active(); }
  size_t queued() const override { return lanes_.queued(); }
  std::vector<LaneNumbers> lane_numbers() const override { return lanes_.numbers(); }
  std::vector<std::pair<std::string_view, size_t>> recovered() const override;

  // Takes no more runs, ends every one by the R7 path and returns once none is left (R18).
  asio::awaitable<void> end_all();

 private:
  // What is known of a run between its claim and its end, beyond its record.
  struct Flight {
    std::string program;
    std::string cwd;
    int attempt = 1;
    int retries_left = 0;  // How often it may come again.
    bool started = false;
    bool kept_to_the_end = false;  // By a keeper, which cleans up after itself.
    bool inherited = false;        // From another daemon, and not yet looked at.
  };

  asio::awaitable<Result<store::Written>> take_in(run::Submitted submitted);
  void settle(const run::Record& record);
  void settle_as_stored(const RunId& id);  // After a write that may or may not have landed.
  void claim_next();
  void hold(const run::Record& record);
  Result<store::Standing> standing_of(const RunId& id);
  void let_go(const run::Record& ended);
  void review(const RunId& id);
  asio::awaitable<void> review_later(RunId id);
  Flight& take_off(const run::Record& record);
  void on_report(const RunId& id, const process::Report& report);
  void look_again(const RunId& id);
  void record_start(const RunId& id, WallMs at);
  asio::awaitable<void> record_start_later(RunId id, WallMs at);
  asio::awaitable<void> record_end(run::Ended ended);
  bool prepare_next(run::Ended& ended);
  void settle_next(const RunId& next);
  asio::awaitable<void> restore(run::Record record);
  asio::awaitable<void> conclude(RunId id, JournalText text);
  asio::awaitable<void> learn_start(RunId id);
  asio::awaitable<Result<CancelOutcome>> cancel_any(run::CancelRequested wish,
                                                    std::optional<std::int64_t> grace_ms);
  asio::awaitable<void> stop_flight(RunId id, std::int64_t grace_ms);
  asio::awaitable<bool> ask_to_stop(RunId id, std::int64_t grace_ms);
  asio::awaitable<Result<>> sort_trash();
  void sweep_stray_folders();
  asio::awaitable<void> sweep_stray_cgroups(std::vector<std::string> strays);
  std::vector<std::string> stray_cgroups(const std::vector<run::Record>& active) const;
  asio::awaitable<void> forget_environments();
  void name_run(process::Command& command, const RunId& id, const std::string& trace_id,
                int attempt) const;
  process::Command command_for(const Submission& submission, const run::Record& record) const;
  asio::awaitable<Result<int>> tell(RunId id, process::ControlOp op, std::int64_t argument,
                                    std::string payload = {});
  Result<> check_running(const RunId& id);
  void spawn(asio::awaitable<void> work);
  asio::awaitable<void> pause(std::chrono::milliseconds time);
  asio::awaitable<void> look_later(RunId id);
  asio::awaitable<void> claim_later();

  // A store that cannot write now (a full disk) is asked again: an end must never be lost.
  static constexpr std::chrono::milliseconds kWriteAgain{500};
  static constexpr int kPrepareTries = 40;  // Twenty seconds for a next attempt's file.

  asio::any_io_executor loop_;
  Home home_;
  Settings settings_;
  const Clock& clock_;
  store::Store& store_;
  spine::Spine& spine_;
  process::BootId boot_;
  IdMaker ids_;
  const RunId born_;  // Older ids are not of this daemon's making.
  Folders folders_;
  Launcher launcher_;
  KeeperLine line_;
  KeeperWatch watch_;
  Lanes lanes_;
  Waits waits_;
  Alarms alarms_;
  std::unordered_map<RunId, Flight> flights_;
  size_t submitting_ = 0;  // Runs whose file is written, and whose record is on its way.
  bool closing_ = false;
  bool recovering_ = false;
  std::array<size_t, kRemedies.size()> recovered_{};  // By what was done.
  asio::steady_timer all_landed_;  // Canceled whenever a run ends: end_all looks again.
};

}  // namespace drover::dispatch
