#include "dispatch/recovery/orphans.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <csignal>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/limits.h"
#include "base/run_mark.h"
#include "base/text.h"
#include "log/log.h"

namespace drover::dispatch {
namespace {

// A killed process needs a moment to exit. If it takes longer, look less often.
constexpr std::chrono::milliseconds kLookAgain{5};
constexpr std::chrono::milliseconds kLookAgainMax{200};

// A child of the daemon, and everything below it.
struct Tree {
  process::Member root;
  std::vector<process::MarkedProcess> members;
};

bool is_orphan(const process::Member& child, const std::vector<std::int32_t>& cradles) {
  return !process::is_zombie(child.stat) &&
         std::ranges::find(cradles, child.ref.pid) == cradles.end() &&
         std::ranges::find(cradles, child.stat.session) == cradles.end();
}

// The runs that the marked processes belong to.
std::unordered_map<std::int32_t, std::string> owners(const std::vector<RunId>& runs,
                                                     const Home& home,
                                                     const process::ProcessTable& all) {
  std::vector<process::Marks> marks;
  for (const RunId& id : runs) {
    const auto journal = read_journal_state(home.run_file(id));
    if (journal && journal->liveness == Liveness::dead) {
      marks.push_back(process::marks_of(id.str(), journal->text));
    }
  }
  std::unordered_map<std::int32_t, std::string> owners;
  for (process::MarkedProcess& found :
       process::find_marked({.variable = kRunVariable, .marks = marks, .any_value = true}, all)) {
    owners.emplace(found.member.ref.pid, std::move(found.value));
  }
  return owners;
}

struct Killed {
  std::vector<process::MarkedProcess> left;
  bool again = false;
};

asio::awaitable<Killed> kill(std::vector<Tree> trees) {
  Killed out;
  for (Tree& tree : trees) {
    for (process::MarkedProcess& one : tree.members) {
      const bool is_gone = !process::open_process(one.member.ref);
      // One that has exited meanwhile may have forked before: look again.
      out.again = is_gone || process::send_signal(one.member.ref, SIGKILL) || out.again;
      if (!is_gone) out.left.push_back(std::move(one));
    }
  }
  co_return out;
}

}  // namespace

// All children of the daemon, and those that may be orphans with everything below them: a cradle
// that is started during the scan may be among these.
struct Orphans::Scan {
  std::vector<process::Member> children;
  std::vector<Tree> trees;

  static asio::awaitable<Scan> make(std::vector<std::int32_t> cradles, std::vector<RunId> runs,
                                    Home home) {
    Scan out;
    out.children = process::own_children();
    const auto may_be_orphan = [&](const auto& child) { return is_orphan(child, cradles); };
    if (std::ranges::none_of(out.children, may_be_orphan)) co_return out;
    const process::ProcessTable all = process::ProcessTable::scan();
    const auto owner = owners(runs, home, all);
    for (const process::Member& child : all.children(::getpid())) {
      if (!may_be_orphan(child)) continue;
      Tree tree{child, {}};
      std::vector<process::Member> members = all.below(child.ref.pid);
      members.push_back(child);
      for (const process::Member& member : members) {
        const auto known = owner.find(member.ref.pid);
        tree.members.push_back(
            {member, known == owner.end() ? std::string() : known->second, process::Sign::below});
      }
      out.trees.push_back(std::move(tree));
    }
    co_return out;
  }
};

Orphans::Orphans(const Host& host, KeeperLauncher& launcher, const Flights& flights,
                 RunDirectories& directories)
    : host_(host),
      launcher_(launcher),
      flights_(flights),
      directories_(directories),
      signals_(host.loop) {}

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
    rung_ = reap() || rung_;
    if (rung_ && !std::exchange(obeying_, true)) host_.spawn(obey());
    obey_signals();
  });
}

asio::awaitable<void> Orphans::obey() {
  while (std::exchange(rung_, false)) (void)co_await clear();
  obeying_ = false;
}

// Returns whether a child may have left orphans. A keeper that exits with 0 leaves none.
bool Orphans::reap() {
  bool left = false;
  int status = 0;
  while (::waitpid(-1, &status, WNOHANG) > 0) left = left || status != 0;
  return left;
}

// Logs one line for each run, and one for the processes that carry no mark of a run.
void Orphans::tell(const std::vector<process::MarkedProcess>& left) {
  std::map<std::string, std::string> lines;
  for (const process::MarkedProcess& orphan : left) {
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
asio::awaitable<bool> Orphans::kill_all(std::vector<process::MarkedProcess>& left) {
  left.clear();
  Scan scan = co_await asio::co_spawn(directories_.janitor(),
                                      Scan::make(launcher_.cradles(), flights_.ids(), host_.home),
                                      asio::use_awaitable);
  launcher_.forget_cradles_without(scan.children);
  // A cradle that was started meanwhile is known by now: neither it nor its keepers are orphans.
  std::erase_if(scan.trees,
                [&](const Tree& tree) { return !is_orphan(tree.root, launcher_.cradles()); });
  if (scan.trees.empty()) {
    told_.clear();
    co_return false;
  }
  Killed killed = co_await asio::co_spawn(directories_.janitor(), kill(std::move(scan.trees)),
                                          asio::use_awaitable);
  left = std::move(killed.left);
  tell(left);
  co_return killed.again;
}

asio::awaitable<std::vector<process::MarkedProcess>> Orphans::clear() {
  using std::chrono::steady_clock;
  std::vector<process::MarkedProcess> left;
  if (!begun_) co_return left;  // Other children of this process are not ours to reap.
  const auto deadline = steady_clock::now() + std::chrono::milliseconds(limits::kKillWaitMs);
  (void)reap();
  for (auto pause = kLookAgain; co_await kill_all(left) && steady_clock::now() < deadline;
       pause = std::min(2 * pause, kLookAgainMax)) {
    co_await host_.pause(pause);
    (void)reap();
  }
  co_return left;
}

}  // namespace drover::dispatch
