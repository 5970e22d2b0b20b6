// A MountWatch calls back after file systems were mounted or unmounted. Inotify does not report
// that a file system is mounted on a watched directory; /proc/self/mountinfo does. Many changes at
// once cause one call, kMountsMs later.
//
// Lives on the loop. Without /proc it never calls.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

namespace drover::triggers {

namespace asio = boost::asio;

class MountWatch {
 public:
  MountWatch(const asio::any_io_executor& loop, std::function<void()> on_change);
  ~MountWatch();
  MountWatch(const MountWatch&) = delete;
  MountWatch& operator=(const MountWatch&) = delete;

 private:
  struct Waits;
  std::shared_ptr<Waits> waits_;
};

}  // namespace drover::triggers
