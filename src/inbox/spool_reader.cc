#include "inbox/spool_reader.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/background.h"
#include "base/crash_point.h"
#include "base/fd.h"
#include "inbox/limits.h"
#include "inbox/request_body.h"
#include "log/log.h"
#include "work/wakeup.h"

namespace drover::inbox {

namespace json = boost::json;

struct SpoolReader::Shared {
  explicit Shared(const asio::any_io_executor& loop) : wakeup(loop), watch(loop) {}

  work::Wakeup wakeup;
  asio::posix::stream_descriptor watch;  // Not open: the kernel has no watch for us.
};

SpoolReader::SpoolReader(asio::any_io_executor loop, const Home& home, const Clock& clock,
                         Inbox& inbox)
    : loop_(std::move(loop)),
      home_(home),
      clock_(clock),
      inbox_(inbox),
      shared_(std::make_shared<Shared>(loop_)) {}

SpoolReader::~SpoolReader() {
  shared_->wakeup.close();
  boost::system::error_code ignored;
  shared_->watch.close(ignored);
}

void SpoolReader::begin() {
  // The directory must exist before it is watched.
  if (auto made = make_private_directory(spool_of(home_)); !made) {
    log::warn("the spool cannot be read: {}", made.error().message);
    return;
  }
  Fd watch(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (watch && ::inotify_add_watch(watch.get(), spool_of(home_).c_str(), IN_MOVED_TO) >= 0) {
    shared_->watch.assign(watch.release());
    asio::co_spawn(loop_, keep_watching(shared_), in_background);
  } else {
    log::warn("the spool is not watched ({}): its files are read every {} s", std::strerror(errno),
              kUnwatchedMs / 1000);
  }
  asio::co_spawn(loop_, keep_reading(shared_), in_background);
}

asio::awaitable<void> SpoolReader::keep_watching(std::shared_ptr<Shared> shared) {
  for (;;) {
    boost::system::error_code error;
    co_await shared->watch.async_wait(asio::posix::stream_descriptor::wait_read,
                                      asio::redirect_error(asio::use_awaitable, error));
    if (error) break;
    std::array<char, 4096> events;
    while (::read(shared->watch.native_handle(), events.data(), events.size()) > 0) {
    }
    shared->wakeup.wake();
  }
  // Without the watch, the reader reads the spool every kUnwatchedMs.
  boost::system::error_code ignored;
  shared->watch.close(ignored);
  shared->wakeup.wake();
}

asio::awaitable<void> SpoolReader::keep_reading(std::shared_ptr<Shared> shared) {
  while (!shared->wakeup.is_closed()) {
    const bool done = co_await take_all(shared);
    if (done && shared->watch.is_open()) {
      co_await shared->wakeup.wait();
    } else {
      co_await shared->wakeup.wait_for(
          std::chrono::milliseconds(done ? kUnwatchedMs : kStoreRetryMs));
    }
  }
}

asio::awaitable<bool> SpoolReader::take_all(std::shared_ptr<Shared> shared) {
  for (SpoolName& name : spooled(home_)) {
    const bool taken = co_await take(std::move(name));
    if (shared->wakeup.is_closed() || !taken) co_return false;
  }
  co_return true;
}

asio::awaitable<bool> SpoolReader::take(SpoolName name) {
  const auto contents = read_spooled(home_, name);
  auto entry = contents ? read_message(name, *contents, clock_.wall_ms())
                        : Result<Entry>(std::unexpected(contents.error()));
  crash_point("inbox.spool_read");
  Result<> taken;
  if (entry) {
    const auto added = co_await inbox_.add(name.run, std::move(*entry), name.key,
                                           {.name = "spool", .is_token = true});
    if (!added) taken = std::unexpected(added.error());
  } else {
    taken = std::unexpected(entry.error());
  }
  if (!taken && taken.error().code == ErrorCode::unavailable) co_return false;
  if (!taken) log::warn("{} in the spool was refused: {}", name.text(), taken.error().message);
  crash_point("inbox.spool_taken");
  remove_spooled(home_, name);
  co_return true;
}

Result<Entry> SpoolReader::read_message(const SpoolName& name, std::string_view contents,
                                        WallMs now) {
  boost::system::error_code bad;
  const json::value message = json::parse(contents, bad);
  const json::object* fields = bad ? nullptr : message.if_object();
  const auto text = [&](std::string_view field) -> std::string_view {
    const json::value* value = fields == nullptr ? nullptr : fields->if_contains(field);
    return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : "";
  };
  const json::value* body = fields == nullptr ? nullptr : fields->if_contains("body");
  const auto written = parse_time(text("at"), "at");
  if (body == nullptr || !written) {
    return fail_invalid("body", "the file was not written by `drover ask` or `drover report`");
  }
  const WallMs at = std::max(name.run.time(), std::min(*written, now));
  if (text("operation") == "inbox.ask") return read_question(json::serialize(*body), at);
  if (text("operation") == "inbox.report") return read_report(json::serialize(*body), at);
  return fail_invalid("operation", "operation must be inbox.ask or inbox.report");
}

}  // namespace drover::inbox
