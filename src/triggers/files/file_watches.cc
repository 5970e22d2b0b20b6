#include "triggers/files/file_watches.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <set>
#include <stop_token>
#include <unordered_map>

#include "base/background.h"
#include "triggers/files/event_reader.h"
#include "triggers/files/mount_watch.h"
#include "triggers/files/tree_watch.h"

namespace drover::triggers {
namespace {

constexpr const char* kCaller = "file-watches";

using Descriptor = asio::posix::stream_descriptor;
using RootIds = std::vector<std::pair<TreeId, std::optional<RootId>>>;

// An exception of an inspection (no memory) fails this inspection, and not the daemon.
template <class Value, class Job>
asio::awaitable<Result<Value>> run_beside(work::Pool& pool, std::stop_token stop, Job job) {
  std::string what;
  try {
    co_return co_await pool.run({.name = kCaller, .stop = std::move(stop)}, std::move(job));
  } catch (const std::exception& thrown) {
    what = thrown.what();
  }
  co_return fail(ErrorCode::unavailable, "walk_failed", "cannot look at watched files: " + what);
}

}  // namespace

struct FileWatches::Shared : std::enable_shared_from_this<Shared> {
  struct Tree {
    std::string id;
    TreeWatch watch;
    std::stop_source stop;
    std::optional<MonoMs> wake;  // As it stands in `wakes`.
  };

  Shared(asio::any_io_executor executor, work::Pool& workers, const Clock& time, OnBatch report,
         size_t watches_max)
      : loop(std::move(executor)),
        pool(workers),
        clock(time),
        on_batch(std::move(report)),
        table(std::make_shared<WatchTable>(watches_max)) {
    timer.emplace(loop);
    if (table->fd() >= 0) events.emplace(loop, ::dup(table->fd()));
  }

  void start() {
    wait_for_events();
    mounts.emplace(loop, [self = weak_from_this()] {
      if (const auto shared = self.lock()) {
        asio::co_spawn(shared->loop, check_roots(shared), in_background);
      }
    });
  }

  MonoMs now() const { return clock.mono_ns() / 1'000'000; }

  void close() {
    is_closed = true;
    for (auto& [number, tree] : trees) tree.stop.request_stop();
    events.reset();
    mounts.reset();
    timer.reset();
    trees.clear();
  }

  void wait_for_events() {
    if (!events) return;
    events->async_wait(Descriptor::wait_read, [self = weak_from_this()](auto error) {
      const auto shared = self.lock();
      if (error || !shared || shared->is_closed) return;
      shared->read_events();
      shared->wait_for_events();
    });
  }

  // One read a turn: other work of the loop comes in between.
  void read_events() {
    const MonoMs time = now();
    std::set<TreeId> touched;
    reader.read(table->fd(), [&](const FileEvent& event) {
      if (event.watch < 0) {
        for (auto& [number, tree] : trees) {
          tree.watch.on_lost_events(time);
          touched.insert(number);
        }
        return;
      }
      for (const WatchPlace& place : table->places(event.watch)) {
        const auto tree = trees.find(place.tree);
        if (tree == trees.end()) continue;
        tree->second.watch.on_event(place, event, time);
        touched.insert(place.tree);
      }
      if ((event.mask & IN_IGNORED) != 0) table->forget(event.watch);
    });
    for (const TreeId number : touched) schedule(number);
    pump();
  }

  // After mounts changed: another directory may be where a root was.
  static asio::awaitable<void> check_roots(std::shared_ptr<Shared> self) {
    std::vector<std::pair<TreeId, std::string>> roots;
    for (const auto& [number, tree] : self->trees) roots.emplace_back(number, tree.watch.root());
    const auto found = co_await run_beside<RootIds>(self->pool, self->stop.get_token(),
                                                    [roots](const work::Turn&) -> Result<RootIds> {
                                                      RootIds out;
                                                      for (const auto& [number, root] : roots)
                                                        out.emplace_back(number, root_id_of(root));
                                                      return out;
                                                    });
    if (!found || self->is_closed) co_return;
    for (const auto& [number, id] : *found) {
      const auto tree = self->trees.find(number);
      if (tree == self->trees.end()) continue;
      tree->second.watch.on_root(id);
      self->schedule(number);
    }
    self->pump();
  }

  // --- inspections
  // --------------------------------------------------------------------------------------

  void schedule(TreeId number) {
    const auto found = trees.find(number);
    if (found == trees.end()) return;
    Tree& tree = found->second;
    const auto wake = tree.watch.wake();
    if (wake == tree.wake) return;
    if (tree.wake) wakes.erase({*tree.wake, number});
    if (wake) wakes.emplace(*wake, number);
    tree.wake = wake;
  }

  // Starts the inspections that are due, and sets the timer for the next one.
  void pump() {
    const MonoMs time = now();
    while (running < kInspectionsAtOnce && !wakes.empty() && wakes.begin()->first <= time) {
      const TreeId number = wakes.begin()->second;
      Tree& tree = trees.at(number);
      if (auto request = tree.watch.next(time)) {
        ++running;
        asio::co_spawn(
            loop,
            inspect_beside(shared_from_this(), number, std::move(*request), tree.stop.get_token()),
            in_background);
      }
      schedule(number);
    }
    if (wakes.empty() || running >= kInspectionsAtOnce) return;
    timer->expires_after(
        std::chrono::milliseconds(std::max<MonoMs>(wakes.begin()->first - time, 0)));
    timer->async_wait([self = weak_from_this()](auto error) {
      const auto shared = self.lock();
      if (!error && shared && !shared->is_closed) shared->pump();
    });
  }

  static asio::awaitable<void> inspect_beside(std::shared_ptr<Shared> self, TreeId number,
                                              InspectionRequest request, std::stop_token stop) {
    const MonoMs begin = self->now();
    auto result = co_await run_beside<Inspection>(
        self->pool, std::move(stop),
        [request = std::move(request)](const work::Turn& turn) { return inspect(request, turn); });
    if (self->is_closed) co_return;
    --self->running;
    if (const auto tree = self->trees.find(number); tree != self->trees.end()) {
      const MonoMs time = self->now();
      auto batch = tree->second.watch.finish(std::move(result), time, time - begin);
      self->schedule(number);
      const std::string id = tree->second.id;
      // Both may remove the tree, or close.
      if (batch) {
        self->on_batch(id, std::move(*batch));
      } else if (self->on_unchanged) {
        self->on_unchanged(id);
      }
    } else {
      self->table->remove(number);  // The inspection may have added watches since.
    }
    if (!self->is_closed) self->pump();
  }

  asio::any_io_executor loop;
  work::Pool& pool;
  const Clock& clock;
  OnBatch on_batch;
  std::function<void(const std::string&)> on_unchanged;
  std::shared_ptr<WatchTable> table;
  EventReader reader;
  std::optional<Descriptor> events;
  std::optional<MountWatch> mounts;
  std::optional<asio::steady_timer> timer;
  std::stop_source stop;
  std::map<TreeId, Tree> trees;
  std::unordered_map<std::string, TreeId> numbers;
  std::set<std::pair<MonoMs, TreeId>> wakes;
  TreeId last = 0;
  size_t running = 0;
  bool is_closed = false;
};

FileWatches::FileWatches(asio::any_io_executor loop, work::Pool& pool, const Clock& clock,
                         OnBatch on_batch, size_t watches_max)
    : shared_(std::make_shared<Shared>(std::move(loop), pool, clock, std::move(on_batch),
                                       watches_max)) {
  shared_->start();
}

FileWatches::~FileWatches() {
  shared_->stop.request_stop();
  shared_->close();
}

Result<> FileWatches::set(const std::string& id, FileSpec spec, Snapshot stored) {
  if (auto valid = validate(spec); !valid) return valid;
  if (!shared_->numbers.contains(id) && shared_->trees.size() >= kTreesMax) {
    return fail(ErrorCode::exhausted, "too_many_trees",
                "the daemon watches at most " + std::to_string(kTreesMax) +
                    " trees: remove a file trigger first");
  }
  remove(id);
  const TreeId number = ++shared_->last;
  shared_->numbers.emplace(id, number);
  shared_->trees.emplace(number,
                         Shared::Tree{.id = id,
                                      .watch = TreeWatch(number, std::move(spec), std::move(stored),
                                                         shared_->table, shared_->now()),
                                      .stop = {},
                                      .wake = {}});
  shared_->schedule(number);
  shared_->pump();
  return {};
}

void FileWatches::remove(const std::string& id) {
  const auto found = shared_->numbers.find(id);
  if (found == shared_->numbers.end()) return;
  const auto tree = shared_->trees.find(found->second);
  tree->second.stop.request_stop();
  if (tree->second.wake) shared_->wakes.erase({*tree->second.wake, found->second});
  shared_->table->remove(found->second);
  shared_->trees.erase(tree);
  shared_->numbers.erase(found);
}

void FileWatches::accepted(const std::string& id) {
  const auto found = shared_->numbers.find(id);
  if (found == shared_->numbers.end()) return;
  shared_->trees.at(found->second).watch.accept();
  shared_->schedule(found->second);
  shared_->pump();
}

void FileWatches::on_unchanged(std::function<void(const std::string&)> call) {
  shared_->on_unchanged = std::move(call);
}

std::optional<FileWatchStatus> FileWatches::status(const std::string& id) const {
  const auto found = shared_->numbers.find(id);
  if (found == shared_->numbers.end()) return std::nullopt;
  const TreeWatch& watch = shared_->trees.at(found->second).watch;
  return FileWatchStatus{
      .is_polling = watch.is_polling(), .files = watch.files(), .warning = watch.warning()};
}

size_t FileWatches::watches() const {
  return shared_->table->watches();
}

}  // namespace drover::triggers
