// A dispatcher for simulations: records what the real one records, in the same commits, and starts
// Processes instead of keepers. As with the real one, a submission whose commit is of unknown fate
// is looked up, and a recorded request to cancel is carried out by `cancel` or by the next daemon.
//
// Lives on the loop of one simulated daemon. Everything borrowed must outlive it.
#pragma once

#include <map>
#include <vector>

#include "dispatch/dispatcher.h"
#include "spine/spine.h"
#include "triggers/month/processes_fixture.h"

namespace drover::triggers::month {

namespace asio = boost::asio;

class FakeDispatcher final : public dispatch::Dispatcher {
 public:
  FakeDispatcher(const Clock& clock, store::Store& store, spine::Recorder record,
                 Processes& processes)
      : clock_(clock),
        store_(store),
        record_(std::move(record)),
        processes_(processes),
        ids_(clock) {}

  asio::awaitable<Result<store::Written>> submit(dispatch::Submission submission) override;
  asio::awaitable<Result<dispatch::CancelOutcome>> cancel(
      RunId id, std::optional<std::int64_t> grace_ms) override;

  // After a start, or after the disk was repaired: runs and processes agree again.
  asio::awaitable<Result<>> recover(bool is_start);
  // Records the end of every process whose time is over.
  asio::awaitable<Result<>> record_ends();

  // The rest of the interface, which no trigger uses.
  asio::awaitable<Result<store::Written>> retry(dispatch::RetryRequest) override;
  asio::awaitable<Result<>> remove(RunId) override { co_return unused(); }
  asio::awaitable<Result<>> signal(RunId, int) override { co_return unused(); }
  asio::awaitable<Result<size_t>> send_input(RunId, dispatch::Input) override;
  asio::awaitable<Result<>> resize(RunId, TerminalSize) override { co_return unused(); }
  asio::awaitable<Result<dispatch::ProgressOutcome>> say_progress(RunId,
                                                                  run::SaidProgress) override;
  asio::awaitable<Result<>> check_ready() override { co_return Result<>{}; }
  asio::awaitable<Result<std::chrono::milliseconds>> probe() override;
  dispatch::LaneControl& lanes() override { std::abort(); }

 private:
  static std::unexpected<Error> unused() {
    return fail(ErrorCode::invalid, "unused", "the simulation has no such operation");
  }
  void see(const run::Record& record);
  asio::awaitable<Result<>> review_waiting();

  const Clock& clock_;
  store::Store& store_;
  const spine::Recorder record_;
  Processes& processes_;
  IdMaker ids_;
  std::map<RunId, std::vector<RunId>> waiting_;  // Runs that wait, each with those it waits for.
};

}  // namespace drover::triggers::month
