#include "queries/output_watch.h"
#include "base/background.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <map>
#include <set>

namespace drover::queries {
namespace {

// A command that prints line by line changes its files a hundred thousand times a second. Its
// subscribers need a few hundred notifications.
constexpr std::chrono::milliseconds kRest{2};

}  // namespace

struct OutputWatch::State {
  explicit State(const asio::any_io_executor& loop) : descriptor(loop), rest(loop) {}

  bool open(const std::shared_ptr<State>& self) {
    if (descriptor.is_open()) return true;
    const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd < 0) return false;
    descriptor.assign(fd);
    co_spawn(descriptor.get_executor(), read_loop(self), in_background);
    return true;
  }

  // Everything that has changed since the last call.
  std::set<int> changed() {
    alignas(inotify_event) std::array<char, 16 * 1024> buffer;
    std::set<int> ids;
    while (true) {
      const ssize_t n = ::read(descriptor.native_handle(), buffer.data(), buffer.size());
      if (n <= 0) return ids;
      for (ssize_t at = 0; at < n;) {
        const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
        ids.insert(event->wd);
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      }
    }
  }

  void tell(int id) {
    // A subscriber may leave from inside its own callback.
    const auto [first, last] = subscribers.equal_range(id);
    std::vector<Subscription*> told;
    for (auto it = first; it != last; ++it) told.push_back(it->second);
    for (Subscription* subscriber : told) subscriber->grown_();
  }

  static asio::awaitable<void> read_loop(std::shared_ptr<State> self) {
    boost::system::error_code bad;
    while (self->descriptor.is_open()) {
      co_await self->descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                           asio::redirect_error(asio::use_awaitable, bad));
      if (bad) co_return;
      for (const int id : self->changed()) {
        if (id >= 0) {
          self->tell(id);
        } else {  // The queue overflowed: anything may have changed.
          for (const auto& [known, subscriber] : std::multimap(self->subscribers))
            self->tell(known);
        }
      }
      self->rest.expires_after(kRest);
      co_await self->rest.async_wait(asio::redirect_error(asio::use_awaitable, bad));
    }
  }

  asio::posix::stream_descriptor descriptor;
  asio::steady_timer rest;
  std::multimap<int, Subscription*> subscribers;
};

OutputWatch::OutputWatch(asio::any_io_executor loop) : state_(std::make_shared<State>(loop)) {}

OutputWatch::~OutputWatch() {
  boost::system::error_code ignored;
  state_->descriptor.close(ignored);
  state_->rest.cancel();
}

size_t OutputWatch::directories() const {
  size_t count = 0;
  for (auto it = state_->subscribers.begin(); it != state_->subscribers.end();
       it = state_->subscribers.upper_bound(it->first)) {
    ++count;
  }
  return count;
}

OutputWatch::Subscription::Subscription(OutputWatch& watch, const std::string& directory,
                                        std::function<void()> grown)
    : watch_(watch), grown_(std::move(grown)) {
  State& state = *watch_.state_;
  if (!state.open(watch_.state_)) return;
  // The watch or the run's first byte of output creates the directory, whichever comes first.
  ::mkdir(directory.c_str(), 0700);
  // inotify returns the same id for the same directory, so its subscribers share one watch.
  id_ = ::inotify_add_watch(state.descriptor.native_handle(), directory.c_str(),
                            IN_MODIFY | IN_CREATE | IN_ONLYDIR | IN_DONT_FOLLOW);
  if (id_ >= 0) state.subscribers.emplace(id_, this);
}

OutputWatch::Subscription::~Subscription() {
  if (id_ < 0) return;
  State& state = *watch_.state_;
  const auto [first, last] = state.subscribers.equal_range(id_);
  for (auto it = first; it != last; ++it) {
    if (it->second != this) continue;
    state.subscribers.erase(it);
    break;
  }
  if (!state.subscribers.contains(id_)) {
    ::inotify_rm_watch(state.descriptor.native_handle(), id_);
  }
}

}  // namespace drover::queries
