// The output watch tells followers when the files of a run's directory have changed, so that output
// is seen as it comes and nobody polls. There is one inotify descriptor in the daemon; a directory
// is watched only while somebody follows it.
//
// Lives on the daemon's loop and must outlive its followers.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>

namespace drover::queries {

namespace asio = boost::asio;

class OutputWatch {
 public:
  explicit OutputWatch(asio::any_io_executor loop);
  ~OutputWatch();
  OutputWatch(const OutputWatch&) = delete;
  OutputWatch& operator=(const OutputWatch&) = delete;

  // Follows a directory while it exists; makes it if it does not exist yet.
  class Follower {
   public:
    // `grown` is called from the loop, a few milliseconds after a change at the latest.
    Follower(OutputWatch& watch, const std::string& directory, std::function<void()> grown);
    ~Follower();
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    // False if there is no directory to be had, or the kernel has no watch to spare: look now and
    // then.
    bool watching() const { return id_ >= 0; }

   private:
    friend class OutputWatch;
    OutputWatch& watch_;
    std::function<void()> grown_;
    int id_ = -1;
  };

  size_t directories() const;  // How many are watched.

 private:
  struct State;
  std::shared_ptr<State> state_;  // Shared with the coroutine that reads the descriptor.
};

}  // namespace drover::queries
