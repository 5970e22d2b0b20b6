#include "dispatch/launch/keeper_launcher.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <cerrno>
#include <chrono>
#include <deque>
#include <utility>

#include "base/crash_point.h"
#include "base/journal.h"
#include "log/log.h"
#include "process/pid_ref.h"

namespace drover::dispatch {
namespace {

// After any other report the keeper sends none.
bool is_last(process::ReportKind kind) {
  return kind != process::ReportKind::started && kind != process::ReportKind::grown;
}

constexpr std::chrono::milliseconds kStartAgain{500};
constexpr int kReportsAtOnce = 256;
constexpr std::chrono::seconds kCradleReads{5};  // Far longer than a busy machine needs.

// Random, so that no other process can guess it: the tag alone proves which launch a report is
// about.
std::uint64_t new_tag() {
  std::uint64_t tag = 0;
  fill_random(&tag, sizeof tag);
  return tag;
}

}  // namespace

struct KeeperLauncher::Line {
  explicit Line(const asio::any_io_executor& loop)
      : requests(loop), reports(loop), lifeline(loop), stuck(loop) {}

  asio::posix::stream_descriptor requests;
  asio::posix::stream_descriptor reports;
  // The cradle's pidfd. Keepers keep the report socket open after the cradle has died, so its end
  // of file says nothing.
  asio::posix::stream_descriptor lifeline;
  std::int32_t pid = 0;
  std::string outgoing;   // Whole requests that wait for the socket.
  std::string in_flight;  // The packet that is being written now.
  struct Launched {
    RunId id;
    bool has_reported = false;
  };
  std::unordered_map<std::uint64_t, Launched> launched;
  // Requests without a report yet, oldest first.
  struct Unanswered {
    std::uint64_t tag = 0;
    std::chrono::steady_clock::time_point since;
  };
  std::deque<Unanswered> unanswered;
  asio::steady_timer stuck;  // Runs while there may be such requests.
  bool is_watched = false;
  bool dead = false;
};

KeeperLauncher::KeeperLauncher(asio::any_io_executor loop, Home home, std::string keeper_program,
                               std::uint64_t descriptors_max, std::string cgroups)
    : loop_(std::move(loop)),
      home_(std::move(home)),
      program_(std::move(keeper_program)),
      descriptors_max_(descriptors_max),
      cgroups_(std::move(cgroups)),
      retry_(loop_) {}

KeeperLauncher::~KeeperLauncher() {
  if (line_) line_->dead = true;
}

Result<> KeeperLauncher::start(OnReport on_report, OnUncertain on_uncertain) {
  on_report_ = std::move(on_report);
  on_uncertain_ = std::move(on_uncertain);
  return start_cradle();
}

Result<> KeeperLauncher::start_cradle() {
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
void KeeperLauncher::watch_cradle(std::shared_ptr<Line> line) {
  line->lifeline.async_wait(
      asio::posix::stream_descriptor::wait_read, [this, line](boost::system::error_code error) {
        if (error || line->dead) return;
        pollfd poll{.fd = line->lifeline.native_handle(), .events = POLLIN, .revents = 0};
        ::poll(&poll, 1, 0) == 1 ? lost(line) : watch_cradle(line);
      });
}

void KeeperLauncher::launch(const RunId& id) {
  if (!line_ || line_->dead) {
    waiting_.push_back(id);
    return;
  }
  crash_point("launch.decided");
  const process::Request request = process::make_request(new_tag(), id.view());
  line_->launched.emplace(request.tag, Line::Launched{.id = id});
  line_->unanswered.push_back({request.tag, std::chrono::steady_clock::now()});
  line_->outgoing.append(reinterpret_cast<const char*>(&request), sizeof request);
  if (line_->in_flight.empty()) write_requests(line_);
}

void KeeperLauncher::write_requests(std::shared_ptr<Line> line) {
  line->in_flight = line->outgoing.substr(0, process::kRequestsMax * sizeof(process::Request));
  line->outgoing.erase(0, line->in_flight.size());
  // The socket nearly always has room: write at once, and wait only with the rest.
  boost::system::error_code error;
  const size_t n = line->requests.write_some(asio::buffer(line->in_flight), error);
  crash_point("launch.requested");
  if (!line->is_watched) watch_requests(line);
  line->in_flight.erase(0, error ? 0 : n);  // A packet is written whole.
  if (line->in_flight.empty() && !line->outgoing.empty()) return write_requests(std::move(line));
  if (line->in_flight.empty() || line->dead) return;
  line->requests.async_wait(asio::posix::stream_descriptor::wait_write,
                            [this, line](boost::system::error_code failed) {
                              if (failed || line->dead) return;  // watch_cradle handles the loss.
                              line->outgoing.insert(0, line->in_flight);
                              line->in_flight.clear();
                              write_requests(line);
                            });
}

// The run of the oldest request that no keeper has claimed in time. Nothing: the cradle works.
std::optional<RunId> KeeperLauncher::unclaimed(Line& line) const {
  while (!line.unanswered.empty()) {
    const Line::Unanswered& oldest = line.unanswered.front();
    if (std::chrono::steady_clock::now() - oldest.since < kCradleReads) return {};
    const auto launched = line.launched.find(oldest.tag);
    if (launched != line.launched.end() && !launched->second.has_reported) {
      const auto journal = read_journal_state(home_.run_file(launched->second.id));
      if (journal && journal->liveness == Liveness::unclaimed) return launched->second.id;
    }
    line.unanswered.pop_front();
  }
  return {};
}

// A cradle reads its requests at once, unless it is stopped: then it is continued, and if that does
// not help, killed and replaced. Its keepers do not notice.
void KeeperLauncher::watch_requests(const std::shared_ptr<Line>& line, int warnings) {
  line->is_watched = true;
  line->stuck.expires_after(kCradleReads);
  line->stuck.async_wait([this, line, warnings](boost::system::error_code canceled) {
    if (canceled || line->dead) return;
    line->is_watched = false;
    const auto waits = unclaimed(*line);
    if (waits) {
      log::warn(*waits, "the cradle (pid {}) has not started a keeper for {} s; {}", line->pid,
                kCradleReads.count(), warnings == 0 ? "continuing it" : "replacing it");
      ::kill(line->pid, warnings == 0 ? SIGCONT : SIGKILL);
    }
    if (!line->unanswered.empty()) watch_requests(line, waits ? warnings + 1 : 0);
  });
}

void KeeperLauncher::read_reports(std::shared_ptr<Line> line) {
  line->reports.async_wait(asio::posix::stream_descriptor::wait_read,
                           [this, line](boost::system::error_code error) {
                             if (error || line->dead) return;
                             take_reports(line);
                             if (!line->dead) read_reports(line);
                           });
}

// A bounded number at a time, so that a flood does not stop the loop.
void KeeperLauncher::take_reports(const std::shared_ptr<Line>& line) {
  process::Report report;
  for (int taken = 0; taken < kReportsAtOnce && !line->dead; ++taken) {
    const auto read = process::read_report(line->reports.native_handle(), report);
    if (read == process::ReportRead::none) return;
    if (read == process::ReportRead::invalid) return distrust(line);
    const auto launched = line->launched.find(report.header.tag);
    if (launched == line->launched.end()) continue;
    const RunId id = launched->second.id;
    launched->second.has_reported = true;
    if (is_last(report.header.kind)) line->launched.erase(launched);
    on_report_(id, report);
  }
}

void KeeperLauncher::lost(const std::shared_ptr<Line>& line) {
  log::error("the cradle (pid {}) exited with {} active runs; starting another", line->pid,
             line->launched.size());
  replace(line);
}

// A process that is not a keeper has written into the socket. Its keepers run on without the
// socket; the journals say what happens.
void KeeperLauncher::distrust(const std::shared_ptr<Line>& line) {
  log::error(
      "the socket of the cradle (pid {}) contained a packet that no keeper writes; starting "
      "another "
      "cradle, and reading the journals of {} active runs instead",
      line->pid, line->launched.size());
  replace(line);
}

void KeeperLauncher::replace(const std::shared_ptr<Line>& line) {
  line->dead = true;
  line->stuck.cancel();
  boost::system::error_code ignored;
  line->requests.close(ignored);  // A cradle that is alive exits after its last keeper.
  line->reports.close(ignored);
  line->lifeline.close(ignored);
  ::waitpid(line->pid, nullptr, WNOHANG);  // Unless it was reaped with all others (orphans.h).
  std::vector<RunId> orphans;
  for (const auto& [tag, launched] : line->launched) orphans.push_back(launched.id);
  restart();
  on_uncertain_(orphans);
}

void KeeperLauncher::forget_cradles_without(const std::vector<process::Member>& keepers) {
  std::erase_if(cradles_, [&](std::int32_t cradle) {
    const bool is_current = line_ && !line_->dead && line_->pid == cradle;
    return !is_current && std::ranges::none_of(keepers, [&](const process::Member& keeper) {
      return keeper.ref.pid == cradle || keeper.stat.session == cradle;
    });
  });
}

// Tries until it works: the program may be missing for a moment during an upgrade. Launches wait
// meanwhile.
void KeeperLauncher::restart() {
  auto again = start_cradle();
  if (again) return;
  log::error("cannot start a cradle yet: {}", again.error().message);
  retry_.expires_after(kStartAgain);
  retry_.async_wait([this](boost::system::error_code canceled) {
    if (!canceled) restart();
  });
}

}  // namespace drover::dispatch
