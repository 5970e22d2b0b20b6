// The ReadPool reads the store beside the daemon's loop. A read is a function of Reads; it runs on
// a worker with a connection of its own and sees one snapshot:
//
//   auto run = co_await reads.ask({.name = caller}, [id](store::Reads& r) { return r.find(id); });
//
// A read has a budget of time, ends with its caller, and waits its turn behind other callers
// (work/pool.h). The store may interrupt it; then it is repeated, so it must be repeatable, and
// it owns what it captures. The answer may be old when it arrives: a caller that acts on it looks
// again inside the transaction that acts.
//
// Lives on the loop. Has as many connections as workers.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "store/single_finds.h"
#include "store/store.h"
#include "work/pool.h"

namespace drover::store {

namespace asio = boost::asio;

// The daemon itself as a caller: no client waits for these reads.
inline work::Caller daemon_itself() {
  return {.name = "daemon"};
}

class ReadPool {
 public:
  static constexpr work::Bounds kBounds{.threads = limits::kReadersMax,
                                        .cpu_max = std::chrono::milliseconds(limits::kReadMs)};
  // `store` must outlive it.
  ReadPool(asio::any_io_executor loop, Store& store, work::Bounds bounds = kBounds)
      : store_(store),
        connections_(bounds.threads),
        finds_(loop, [this](std::vector<WantedRun> wanted) { return ask_all(std::move(wanted)); }),
        pool_(std::move(loop), bounds) {}

  // Opens all connections now, so that the number of descriptors does not grow later. One that
  // cannot be opened is opened when it is needed.
  void open_all();

  template <class Ask>
  asio::awaitable<std::invoke_result_t<Ask&, Reads&>> ask(work::Caller caller, Ask ask) {
    using Answer = std::invoke_result_t<Ask&, Reads&>;
    return pool_.run(std::move(caller),
                     [this, ask = std::move(ask)](const work::Turn& turn) mutable -> Answer {
                       auto connection = borrow();
                       if (!connection) return std::unexpected(connection.error());
                       const auto check = [&turn] { return turn.check(); };
                       for (int asked = 0;; ++asked) {
                         SnapshotReads& reads = **connection;
                         reads.begin(check, asked < limits::kReadRepeats);
                         Answer answer = ask(reads);
                         if (reads.end() && !answer && turn.check()) continue;
                         give_back(std::move(*connection));
                         return answer;
                       }
                     });
  }

  // The record of one run, for the daemon itself: from memory if it was written lately, without
  // waiting; otherwise asked. Writes that were made while it waited are in the answer.
  asio::awaitable<Result<std::optional<run::Record>>> find(RunId id);
  // The record if it is in memory. Empty says nothing about the run.
  std::optional<run::Record> at_hand(const RunId& id) const { return store_.at_hand(id); }
  // A record that a read has returned, with everything that was written since.
  run::Record newest(run::Record answered) const;
  // As `find`, for a run that may have been deleted.
  asio::awaitable<FoundRun> find_stored(RunId id);

  work::Pool& pool() { return pool_; }

 private:
  Result<std::unique_ptr<SnapshotReads>> borrow();
  void give_back(std::unique_ptr<SnapshotReads> connection);
  asio::awaitable<FoundRuns> ask_all(std::vector<WantedRun> wanted);

  Store& store_;
  const size_t connections_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<SnapshotReads>> idle_;
  SingleFinds finds_;
  work::Pool pool_;  // Last: its jobs use everything above.
};

}  // namespace drover::store
