// A RuntimeWatch keeps the daemon reachable. Cleaners remove what they take for forgotten:
// systemd-tmpfiles, a logout that removes $XDG_RUNTIME_DIR, `rm -rf`. When the socket, the runtime
// directory or a directory above it is removed, moved or replaced, the watch creates the
// directories and the socket again.
//
// It costs nothing while nothing happens: the kernel reports such a change (inotify). While the
// directory cannot be created, it tries every second. Lives on the daemon's loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <utility>

#include "base/home.h"

namespace drover {

class RuntimeWatch {
 public:
  // `listen` creates the socket in the runtime directory, which exists then.
  RuntimeWatch(const boost::asio::any_io_executor& loop, Home home,
               std::function<Result<>()> listen);

  // Call it once the socket exists. Without inotify nothing is watched.
  void begin();
  // The socket is removed on purpose from now on.
  void stop();

 private:
  using Inode = std::pair<std::uint64_t, std::uint64_t>;  // Device and number.

  boost::asio::awaitable<void> keep_looking();
  void watch_all();
  bool is_whole() const;
  Result<> restore();
  static Inode inode_of(const std::string& path);

  Home home_;
  std::function<Result<>()> listen_;
  boost::asio::posix::stream_descriptor changes_;
  boost::asio::steady_timer pause_;
  Inode socket_{};
  bool stopped_ = false;
};

}  // namespace drover
