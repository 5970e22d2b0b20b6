#include "cmd/runtime_watch.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "base/background.h"
#include "base/fd.h"
#include "base/ownership.h"
#include "log/log.h"

namespace drover {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds kTryAgain{1};
constexpr std::uint32_t kSelf = IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
constexpr std::uint32_t kInside = kSelf | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;

}  // namespace

RuntimeWatch::RuntimeWatch(const asio::any_io_executor& loop, Home home,
                           std::function<Result<>()> listen)
    : home_(std::move(home)), listen_(std::move(listen)), changes_(loop), pause_(loop) {}

void RuntimeWatch::begin() {
  const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd < 0) {
    log::warn("the socket is not created again if it is removed: {}",
              fail_errno("inotify", errno).error().message);
    return;
  }
  changes_.assign(fd);
  socket_ = inode_of(home_.socket());
  asio::co_spawn(changes_.get_executor(), keep_looking(), in_background);
}

void RuntimeWatch::stop() {
  stopped_ = true;
  changes_.close();
  pause_.cancel();
}

RuntimeWatch::Inode RuntimeWatch::inode_of(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino};
}

// The runtime directory with its entries, and each directory above it. Adding a watch a second time
// changes nothing.
void RuntimeWatch::watch_all() {
  ::inotify_add_watch(changes_.native_handle(), home_.runtime.c_str(), kInside);
  for (size_t end = home_.runtime.rfind('/'); end != 0 && end != std::string::npos;
       end = home_.runtime.rfind('/', end - 1)) {
    ::inotify_add_watch(changes_.native_handle(), home_.runtime.substr(0, end).c_str(), kSelf);
  }
}

bool RuntimeWatch::is_whole() const {
  return socket_ != Inode{} && inode_of(home_.socket()) == socket_ &&
         inode_of(home_.controls()) != Inode{};
}

Result<> RuntimeWatch::restore() {
  for (const std::string& directory : {home_.runtime, home_.controls()}) {
    if (auto safe = check_way(directory); !safe) return safe;
    if (auto made = make_private_directory(directory); !made) return made;
    if (auto own = check_own_directory(directory); !own) return own;
  }
  watch_all();  // First: a change after this is reported.
  if (inode_of(home_.socket()) != socket_ || socket_ == Inode{}) {
    if (auto listening = listen_(); !listening) return listening;
    socket_ = inode_of(home_.socket());
  }
  log::warn("{} had been removed; it was created again", home_.socket());
  return {};
}

asio::awaitable<void> RuntimeWatch::keep_looking() {
  boost::system::error_code bad;
  watch_all();
  bool complained = false;
  while (!stopped_) {
    if (is_whole()) {
      complained = false;
      co_await changes_.async_wait(asio::posix::stream_descriptor::wait_read,
                                   asio::redirect_error(asio::use_awaitable, bad));
      alignas(inotify_event) std::array<char, 4096> ignored;
      while (!stopped_ && ::read(changes_.native_handle(), ignored.data(), ignored.size()) > 0) {
      }
      continue;
    }
    const auto restored = restore();
    if (restored) continue;
    if (!std::exchange(complained, true)) {
      log::error("the socket was removed and cannot be created again yet: {}",
                 restored.error().message);
    }
    pause_.expires_after(kTryAgain);
    co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, bad));
  }
}

}  // namespace drover
