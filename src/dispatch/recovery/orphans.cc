#include "dispatch/recovery/orphans.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>

#include "base/limits.h"
#include "base/run_mark.h"
#include "base/text.h"
#include "log/log.h"

namespace drover::dispatch {
namespace {

// A killed process needs a moment to exit. If it takes longer, look less often.
constexpr std::chrono::milliseconds kLookAgain{5};
constexpr std::chrono::milliseconds kLookAgainMax{200};

}  // namespace

Orphans::Orphans(const Host& host, Launcher& launcher, const Flights& flights)
    : host_(host), launcher_(launcher), flights_(flights), signals_(host.loop) {}

void Orphans::begin() {
  if (!process::own_children().empty()) {
    log::warn("this process had children before it became the daemon, and does not adopt orphans");
    return;
  }
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return;
  begun_ = true;
  signals_.add(SIGCHLD);
  obey_signals();
}

void Orphans::obey_signals() {
  signals_.async_wait([this](boost::system::error_code error, int) {
    if (error) return;
    if (reap() && !clearing_) host_.spawn(clear());
    obey_signals();
  });
}

// Returns whether a child may have left orphans. A keeper that exits with 0 leaves none.
bool Orphans::reap() {
  bool left = false;
  int status = 0;
  while (::waitpid(-1, &status, WNOHANG) > 0) left = left || status != 0;
  return left;
}

bool Orphans::is_orphan(const process::Member& child) const {
  const std::vector<std::int32_t>& cradles = launcher_.cradles();
  return !process::is_zombie(child.stat) &&
         std::ranges::find(cradles, child.ref.pid) == cradles.end() &&
         std::ranges::find(cradles, child.stat.session) == cradles.end();
}

// The runs that the marked processes belong to.
std::unordered_map<std::int32_t, std::string> Orphans::owners(
    const process::ProcessTable& all) const {
  std::vector<process::Marks> marks;
  for (const RunId& id : flights_.ids()) {
    const auto probe = probe_journal(host_.home.run_file(id));
    if (probe && probe->liveness == Liveness::dead) {
      marks.push_back(process::marks_of(id.str(), probe->text));
    }
  }
  std::unordered_map<std::int32_t, std::string> owners;
  for (process::Found& found :
       process::find_marked({.variable = kRunVariable, .marks = marks, .any_value = true}, all)) {
    owners.emplace(found.member.ref.pid, std::move(found.value));
  }
  return owners;
}

// One line for each run, and one for those of which nothing says to which run they belonged.
void Orphans::tell() {
  std::map<std::string, std::string> lines;
  for (const process::Found& orphan : left_) {
    if (std::ranges::find(told_, orphan.member.ref) != told_.end()) continue;
    told_.push_back(orphan.member.ref);
    std::string& line = lines[orphan.value];
    line += fmt::format("{}{} ({})", line.empty() ? "" : ", ", orphan.member.ref.pid,
                        static_cast<const char*>(orphan.member.stat.name));
  }
  for (const auto& [owner, line] : lines) {
    const auto id = RunId::parse(owner);
    log::warn(id ? log::About(*id) : log::About(), "killed what a dead keeper left: {}",
              bounded(line, limits::kMessageBytesMax));
  }
}

// Returns whether to look again: one was signaled, or exited by itself.
bool Orphans::kill_all() {
  left_.clear();
  const std::vector<process::Member> children = process::own_children();
  launcher_.forget_cradles_without(children);
  if (std::ranges::none_of(children, [&](const auto& child) { return is_orphan(child); })) {
    told_.clear();
    return false;
  }
  const process::ProcessTable all = process::ProcessTable::scan();
  auto owner = owners(all);
  bool again = false;
  for (const process::Member& orphan : all.children(::getpid())) {
    if (!is_orphan(orphan)) continue;
    std::vector<process::Member> tree = all.below(orphan.ref.pid);
    tree.push_back(orphan);
    for (const process::Member& member : tree) {
      const bool is_gone = !process::open_process(member.ref);
      // One that has exited meanwhile may have forked before: look again.
      again = is_gone || process::send_signal(member.ref, SIGKILL) || again;
      if (!is_gone) left_.push_back({member, owner[member.ref.pid], process::Sign::below});
    }
  }
  tell();
  return again;
}

asio::awaitable<void> Orphans::clear() {
  using std::chrono::steady_clock;
  if (!begun_) co_return;  // Other children of this process are not ours to reap.
  const auto deadline = steady_clock::now() + std::chrono::milliseconds(limits::kKillWaitMs);
  clearing_ = true;
  (void)reap();
  for (auto pause = kLookAgain; kill_all() && steady_clock::now() < deadline;
       pause = std::min(2 * pause, kLookAgainMax)) {
    co_await host_.pause(pause);
    (void)reap();
  }
  clearing_ = false;
}

}  // namespace drover::dispatch
