// Exact readers are clients that pass on every byte of a run's output, as a pipe would: `drover
// run` in the foreground. The daemon sends their position to the run's keeper, which keeps the
// output that they have not read yet (the reserve, base/output_file.h), and stops reading from the
// command when the reserve is full. If a run has several exact readers, the slowest counts.
//
// When the last reader of a run leaves, its keeper is informed at once; if the reader may return,
// after limits::kReaderAwayMs. A keeper that has not started yet is informed when it starts. If the
// run has finished, the reserve is removed.
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
#include "store/read_pool.h"

namespace drover::queries {

namespace asio = boost::asio;

class KeeperOfRun;  // The connection to the keeper of one run.

class ExactReaders {
 public:
  struct Timeouts {
    std::chrono::milliseconds reader_away{limits::kReaderAwayMs};  // For a reader that may return.
    // Before the first report to a keeper. Most runs finish sooner, and their keepers get none.
    std::chrono::milliseconds first_report{1'000};
    // Between two connects to a keeper that does not listen: soon at first, because it listens
    // within milliseconds; then seldom, because its run may be queued for hours.
    std::chrono::milliseconds retry{20};
    std::chrono::milliseconds retry_max{1'000};
  };

  // `reads` must outlive it.
  ExactReaders(asio::any_io_executor loop, Home home, store::ReadPool& reads)
      : ExactReaders(std::move(loop), std::move(home), reads, Timeouts()) {}
  ExactReaders(asio::any_io_executor loop, Home home, store::ReadPool& reads, Timeouts timeouts)
      : loop_(std::move(loop)), home_(std::move(home)), reads_(reads), timeouts_(timeouts) {}
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
  // False: no reader is connected, and none is expected.
  bool may_have_reader(const RunId& run) const;
  // How many runs it knows.
  size_t size() const { return keepers_.size(); }
  const Timeouts& timeouts() const { return timeouts_; }

 private:
  friend class KeeperOfRun;
  using Time = std::chrono::steady_clock::time_point;

  std::shared_ptr<KeeperOfRun> keeper_of(const RunId& run);

  asio::any_io_executor loop_;
  Home home_;
  store::ReadPool& reads_;
  const Timeouts timeouts_;
  const Time since_ = std::chrono::steady_clock::now();
  std::unordered_map<std::string, std::shared_ptr<KeeperOfRun>> keepers_;  // By run.
};

}  // namespace drover::queries
