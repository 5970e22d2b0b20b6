// The output watch notifies subscribers when the files in a run's directory change, so that output
// is seen immediately and without polling. The daemon has one inotify descriptor; a directory is
// watched only while it has subscribers.
//
// Lives on the daemon's loop and must outlive its subscribers.
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

  // Watches a directory for as long as this object lives. Creates the directory if it does not
  // exist yet.
  class Subscription {
   public:
    // `grown` is called from the loop, a few milliseconds after a change at the latest.
    Subscription(OutputWatch& watch, const std::string& directory, std::function<void()> grown);
    ~Subscription();
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;

    // False if the directory cannot be created or the kernel has no watch left. The subscriber must
    // poll then.
    bool watching() const { return id_ >= 0; }

   private:
    friend class OutputWatch;
    OutputWatch& watch_;
    std::function<void()> grown_;
    int id_ = -1;
  };

  size_t directories() const;  // How many directories are watched.

 private:
  struct State;
  std::shared_ptr<State> state_;  // Shared with the coroutine that reads the descriptor.
};

}  // namespace drover::queries
