#include "dispatch/recovery/sweeper.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/run_mark.h"
#include "process/cgroup_place.h"
#include "process/sweep.h"

namespace drover::dispatch {
namespace {

// Spares the keepers of all active runs, and with them the cradles of earlier daemons: a daemon
// that was started inside a run has passed the mark of that run on to them. The cradles of this
// daemon are spared by their sessions.
void spare(process::MarkSearch& search, const std::vector<RunId>& active, const Home& home) {
  for (const RunId& id : active) {
    const auto journal = read_journal_state(home.run_file(id));
    if (!journal || journal->liveness != Liveness::alive || !journal->text.identity) continue;
    const std::int32_t keeper = journal->text.identity->keeper.pid;
    search.spared_processes.push_back(keeper);
    if (const auto stat = process::look_at(keeper)) {
      search.spared_sessions.push_back(stat->session);
    }
  }
}

}  // namespace

struct Sweeper::Batch {
  explicit Batch(const asio::any_io_executor& loop)
      : done(loop, asio::steady_timer::time_point::max()) {}

  std::vector<process::Marks> runs;
  std::vector<process::MarkedProcess> left;
  bool is_done = false;
  asio::steady_timer done;  // Canceled when the search is done.
};

Sweeper::Sweeper(const Host& host, const KeeperLauncher& launcher, const Flights& flights,
                 Orphans& orphans, RunDirectories& directories, std::string cgroups)
    : host_(host),
      launcher_(launcher),
      flights_(flights),
      orphans_(orphans),
      directories_(directories),
      cgroups_(std::move(cgroups)) {}

asio::awaitable<std::vector<process::Member>> Sweeper::sweep(RunId id, JournalText journal) {
  if (!next_) next_ = std::make_shared<Batch>(host_.loop);
  const auto batch = next_;
  batch->runs.push_back(process::marks_of(id.str(), journal));
  if (!std::exchange(running_, true)) host_.spawn(run());
  while (!batch->is_done) {
    boost::system::error_code woken;
    co_await batch->done.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  }
  std::vector<process::Member> left;
  for (const process::MarkedProcess& found : batch->left) {
    if (found.value == id.view()) left.push_back(found.member);
  }
  co_return left;
}

asio::awaitable<void> Sweeper::run() {
  co_await asio::post(host_.loop, asio::use_awaitable);  // All runs that are lost now take part.
  while (next_) {
    const auto batch = std::exchange(next_, nullptr);
    (void)co_await orphans_.clear();
    batch->left = co_await asio::co_spawn(
        directories_.janitor(),
        [](process::MarkSearch search, std::vector<RunId> active, const Home& home,
           const std::string& cgroups) -> asio::awaitable<std::vector<process::MarkedProcess>> {
          spare(search, active, home);
          // The cgroups first: no fork outruns the kernel.
          for (const process::Marks& marks : search.marks) {
            process::clear_cgroup(cgroups, marks.value);
            process::clear_cgroup(cgroups, process::cgroup_with_id(cgroups, marks.record.cgroup));
          }
          co_return process::kill_marked(search);
        }({.variable = kRunVariable, .marks = batch->runs, .spared_sessions = launcher_.cradles()},
                                       flights_.ids(), host_.home, cgroups_),
        asio::use_awaitable);
    // Kills the children of the killed processes.
    const std::vector<process::MarkedProcess> orphans = co_await orphans_.clear();
    batch->left.insert(batch->left.end(), orphans.begin(), orphans.end());
    batch->is_done = true;
    batch->done.cancel();
  }
  running_ = false;
}

}  // namespace drover::dispatch
