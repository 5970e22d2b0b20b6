// Exact readers are clients that pass on every byte of a run's output, as a pipe would: `drover
// run` in the foreground. The daemon sends their position to the run's keeper, which keeps the
// output that they have not read yet (the reserve, base/output_file.h), and stops reading from the
// command when the reserve is full. If a run has several exact readers, the slowest counts.
//
// A reader that leaves lets go at once. One that may return is waited for (limits::kReaderAwayMs).
// Then the keeper is told, also one that starts only later; if the run has finished, what was kept
// for the reader is removed.
//
// Lives on the daemon's loop and must outlive its readers.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/home.h"
#include "base/id.h"
#include "store/store.h"

namespace drover::queries {

namespace asio = boost::asio;

class KeeperOfRun;  // The connection to the keeper of one run.

class ExactReaders {
 public:
  struct Patience {
    std::chrono::milliseconds away{limits::kReaderAwayMs};  // For a reader that may return.
    // Before a keeper is told for the first time. Most runs finish before that, and their keepers
    // never hear of a reader.
    std::chrono::milliseconds first_word{1'000};
    // Before a keeper that does not listen is asked again: soon, because it listens within
    // milliseconds; then seldom, because its run may be queued for hours.
    std::chrono::milliseconds again{20};
    std::chrono::milliseconds again_max{1'000};
  };

  // `store` must outlive it.
  ExactReaders(asio::any_io_executor loop, Home home, store::Store& store)
      : ExactReaders(std::move(loop), std::move(home), store, Patience()) {}
  ExactReaders(asio::any_io_executor loop, Home home, store::Store& store, Patience patience)
      : loop_(std::move(loop)), home_(std::move(home)), store_(store), patience_(patience) {}
  ExactReaders(const ExactReaders&) = delete;
  ExactReaders& operator=(const ExactReaders&) = delete;

  // One reader of one run. When the last one leaves, the run keeps no more than any other run.
  class Reader {
   public:
    Reader(ExactReaders& all, const RunId& run);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // The client has passed on all bytes before `offset`.
    void read_to(std::uint64_t offset);
    // The run has finished, and all of its output was passed on.
    void finish() { finished_ = true; }
    // It is leaving against its will, because the daemon stops or the connection broke.
    void may_return() { may_return_ = true; }

   private:
    friend class KeeperOfRun;
    std::shared_ptr<KeeperOfRun> keeper_;
    std::uint64_t offset_ = 0;
    bool finished_ = false;
    bool may_return_ = false;
  };

  // The run may have a reader that is not connected: waits for it.
  void expect(const RunId& run);
  // False: the run had a reader, or never one, and none is on its way back.
  bool may_have_reader(const RunId& run) const;
  // How many runs it knows.
  size_t size() const { return keepers_.size(); }

 private:
  friend class KeeperOfRun;
  using Time = std::chrono::steady_clock::time_point;

  std::shared_ptr<KeeperOfRun> keeper_of(const RunId& run);

  asio::any_io_executor loop_;
  Home home_;
  store::Store& store_;
  const Patience patience_;
  const Time since_ = std::chrono::steady_clock::now();
  std::unordered_map<std::string, std::shared_ptr<KeeperOfRun>> keepers_;  // By run.
};

}  // namespace drover::queries
