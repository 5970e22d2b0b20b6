#include "dispatch/recovery/sweeper.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/run_mark.h"
#include "process/cgroup.h"
#include "process/sweep.h"

namespace drover::dispatch {

struct Sweeper::Batch {
  explicit Batch(const asio::any_io_executor& loop)
      : done(loop, asio::steady_timer::time_point::max()) {}

  std::vector<process::Marks> runs;
  std::vector<process::Found> left;
  bool is_done = false;
  asio::steady_timer done;  // Canceled when it is.
};

Sweeper::Sweeper(const Host& host, const Launcher& launcher, const Flights& flights,
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
  for (const process::Found& found : batch->left) {
    if (found.value == id.view()) left.push_back(found.member);
  }
  co_return left;
}

asio::awaitable<void> Sweeper::run() {
  co_await asio::post(host_.loop, asio::use_awaitable);  // All runs that are lost now take part.
  while (next_) {
    const auto batch = std::exchange(next_, nullptr);
    co_await orphans_.clear();
    batch->left = co_await asio::co_spawn(
        directories_.janitor(),
        [](process::Search search,
           const std::string& cgroups) -> asio::awaitable<std::vector<process::Found>> {
          auto left = process::kill_marked(search);
          for (const process::Marks& marks : search.marks) {
            process::clear_cgroup(cgroups, marks.value);
          }
          co_return left;
        }(search_for(*batch), cgroups_),
        asio::use_awaitable);
    co_await orphans_.clear();  // What was below those that were killed.
    batch->left.insert(batch->left.end(), orphans_.left().begin(), orphans_.left().end());
    batch->is_done = true;
    batch->done.cancel();
  }
  running_ = false;
}

// Spares the cradles of this daemon and the keepers of all active runs, with the cradles of earlier
// daemons: a daemon that was started inside a run has passed the mark of that run on to them.
process::Search Sweeper::search_for(const Batch& batch) const {
  process::Search search{.variable = kRunVariable, .marks = batch.runs};
  search.spared_sessions = launcher_.cradles();
  for (const RunId& id : flights_.ids()) {
    const auto probe = probe_journal(host_.home.run_file(id));
    if (!probe || probe->liveness != Liveness::alive || !probe->text.identity) continue;
    const std::int32_t keeper = probe->text.identity->keeper.pid;
    search.spared_processes.push_back(keeper);
    if (const auto stat = process::look_at(keeper)) {
      search.spared_sessions.push_back(stat->session);
    }
  }
  return search;
}

}  // namespace drover::dispatch
