#include "dispatch/launch/launcher.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/crash_point.h"
#include "log/log.h"
#include "process/pid_ref.h"

namespace drover::dispatch {
namespace {

// After any other report the keeper sends none.
bool is_last(process::ReportKind kind) {
  return kind != process::ReportKind::started && kind != process::ReportKind::grown;
}

constexpr std::chrono::milliseconds kStartAgain{500};

}  // namespace

struct Launcher::Line {
  explicit Line(const asio::any_io_executor& loop)
      : requests(loop), reports(loop), lifeline(loop) {}

  asio::posix::stream_descriptor requests;
  asio::posix::stream_descriptor reports;
  // The cradle's pidfd. Keepers keep the report pipe open after the cradle has died, so the pipe's
  // end of file says nothing.
  asio::posix::stream_descriptor lifeline;
  std::int32_t pid = 0;
  process::ReportReader reader;
  std::array<char, 16 * 1024> buffer{};
  std::string outgoing;   // Whole requests that wait for the pipe.
  std::string in_flight;  // Being written to the pipe now.
  std::unordered_map<std::uint64_t, RunId> launched;
  bool dead = false;
};

Launcher::Launcher(asio::any_io_executor loop, Home home, std::string keeper_program,
                   std::uint64_t descriptors_max, std::string cgroups)
    : loop_(std::move(loop)),
      home_(std::move(home)),
      program_(std::move(keeper_program)),
      descriptors_max_(descriptors_max),
      cgroups_(std::move(cgroups)),
      retry_(loop_) {}

Launcher::~Launcher() {
  if (line_) line_->dead = true;
}

Result<> Launcher::start(OnReport on_report, OnCradleLost on_cradle_lost) {
  on_report_ = std::move(on_report);
  on_cradle_lost_ = std::move(on_cradle_lost);
  return start_cradle();
}

Result<> Launcher::start_cradle() {
  auto cradle =
      process::Cradle::start(program_, home_.runs(), home_.controls(), descriptors_max_, cgroups_);
  if (!cradle) return std::unexpected(cradle.error());
  cradles_.push_back(cradle->pid);
  Fd lifeline = process::open_process(process::ref_of(cradle->pid));
  if (!lifeline) return fail_errno("cannot watch the cradle (pidfd_open)", errno);
  line_ = std::make_shared<Line>(loop_);
  line_->pid = cradle->pid;
  line_->requests.assign(cradle->requests.release());
  line_->requests.non_blocking(true);  // Otherwise Asio itself would block.
  line_->reports.assign(cradle->reports.release());
  line_->lifeline.assign(lifeline.release());
  watch_cradle(line_);
  read_reports(line_);
  for (const RunId& id : std::exchange(waiting_, {})) launch(id);
  return {};
}

// A wait may end spuriously: the cradle is dead only if its pidfd says so.
void Launcher::watch_cradle(std::shared_ptr<Line> line) {
  line->lifeline.async_wait(
      asio::posix::stream_descriptor::wait_read, [this, line](boost::system::error_code error) {
        if (error || line->dead) return;
        pollfd poll{.fd = line->lifeline.native_handle(), .events = POLLIN, .revents = 0};
        ::poll(&poll, 1, 0) == 1 ? lost(line) : watch_cradle(line);
      });
}

void Launcher::launch(const RunId& id) {
  if (!line_ || line_->dead) {
    waiting_.push_back(id);
    return;
  }
  crash_point("launch.decided");
  const process::Request request = process::make_request(++last_tag_, id.view());
  line_->launched.emplace(request.tag, id);
  line_->outgoing.append(reinterpret_cast<const char*>(&request), sizeof request);
  if (line_->in_flight.empty()) write_requests(line_);
}

void Launcher::write_requests(std::shared_ptr<Line> line) {
  line->in_flight.swap(line->outgoing);
  // The pipe nearly always has room: write at once, and wait only with the rest.
  boost::system::error_code error;
  const size_t n = line->requests.write_some(asio::buffer(line->in_flight), error);
  crash_point("launch.requested");
  line->in_flight.erase(0, error ? 0 : n);
  if (line->in_flight.empty() || line->dead) return;
  line->requests.async_wait(asio::posix::stream_descriptor::wait_write,
                            [this, line](boost::system::error_code failed) {
                              if (failed || line->dead) return;  // watch_cradle handles the loss.
                              line->outgoing.insert(0, line->in_flight);
                              line->in_flight.clear();
                              write_requests(line);
                            });
}

void Launcher::read_reports(std::shared_ptr<Line> line) {
  line->reports.async_read_some(asio::buffer(line->buffer),
                                [this, line](boost::system::error_code error, size_t n) {
                                  if (error || line->dead) return;
                                  line->reader.add({line->buffer.data(), n});
                                  process::Report report;
                                  while (line->reader.next(report)) {
                                    const auto it = line->launched.find(report.header.tag);
                                    if (it == line->launched.end()) continue;
                                    const RunId id = it->second;
                                    if (is_last(report.header.kind)) line->launched.erase(it);
                                    on_report_(id, report);
                                  }
                                  read_reports(line);
                                });
}

void Launcher::lost(const std::shared_ptr<Line>& line) {
  line->dead = true;
  ::waitpid(line->pid, nullptr, WNOHANG);  // Unless it was reaped with all others (orphans.h).
  std::vector<RunId> orphans;
  for (const auto& [tag, id] : line->launched) orphans.push_back(id);
  log::error("the cradle (pid {}) exited with {} active runs; starting another", line->pid,
             orphans.size());
  restart();
  on_cradle_lost_(orphans);
}

void Launcher::forget_cradles_without(const std::vector<process::Member>& keepers) {
  std::erase_if(cradles_, [&](std::int32_t cradle) {
    const bool is_current = line_ && !line_->dead && line_->pid == cradle;
    return !is_current && std::ranges::none_of(keepers, [&](const process::Member& keeper) {
      return keeper.ref.pid == cradle || keeper.stat.session == cradle;
    });
  });
}

// Tries until it works: the program may be missing for a moment during an upgrade. Launches wait
// meanwhile.
void Launcher::restart() {
  auto again = start_cradle();
  if (again) return;
  log::error("cannot start a cradle yet: {}", again.error().message);
  retry_.expires_after(kStartAgain);
  retry_.async_wait([this](boost::system::error_code canceled) {
    if (!canceled) restart();
  });
}

}  // namespace drover::dispatch
