// The rate of the store alone, and a way to fill a store with a long history.
//
//   bench-store append FILE N
//     Submissions per second, appended in full batches.
//   bench-store fill N
//     Writes N finished runs into the store of $DROVER_HOME, without a daemon.
//   bench-store churn FILE N KEEP
//     Writes N runs and removes and compacts all but the last KEEP. Prints the CPU time of a
//     submission at the end divided by that at the beginning, both in microseconds, and how much
//     the file grew for each removed run.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/home.h"
#include "bench/client.h"
#include "run/spec.h"
#include "store/sqlite/sqlite_store.h"

namespace {

using namespace drover;
using bench::give_up;

// Keeps a few full batches in flight, so that the writer is never idle and never overloaded.
class Feeder {
 public:
  explicit Feeder(store::Store& store) : store_(store) {}
  ~Feeder() { drain(0); }

  void write(store::Write fact) {
    drain(4 * limits::kCommitBatchMax);
    {
      const std::lock_guard lock(mutex_);
      ++active_;
    }
    store_.write(std::move(fact), [this](const Result<store::Written>& written) {
      if (!written) give_up(written.error().message);
      const std::lock_guard lock(mutex_);
      --active_;
      changed_.notify_one();
    });
  }
  void drain(size_t most) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return active_ <= most; });
  }

 private:
  store::Store& store_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t active_ = 0;
};

// Sets the history in the past: at each start, the daemon checks the events of the last minute
// again.
class PastClock final : public Clock {
 public:
  explicit PastClock(WallMs span_ms) : back_ms_(span_ms) {}
  void tick(WallMs ms) { back_ms_ -= ms; }
  WallMs wall_ms() const override { return now_.wall_ms() - back_ms_; }
  MonoNs mono_ns() const override { return now_.mono_ns(); }

 private:
  SystemClock now_;
  std::atomic<WallMs> back_ms_;  // The store's writer thread reads it too.
};

run::Record record(const RunId& id, const char* lane, std::string scope, WallMs now) {
  run::Spec spec;
  spec.argv = {"/bin/true"};
  spec.cwd = "/";
  spec.lane = lane;
  spec.scope = std::move(scope);
  return run::first_record(spec, id, now, {});
}

std::unique_ptr<store::SqliteStore> open(const std::string& path, const Clock& clock) {
  auto opened = store::SqliteStore::open(path, clock);
  if (!opened) give_up(opened.error().message);
  return std::move(*opened);
}

double append(const std::string& path, int total) {
  const SystemClock clock;
  const auto store = open(path, clock);
  IdMaker ids(clock);
  const auto begin = clock.mono_ns();
  {
    Feeder feeder(*store);
    feeder.write(store::LaneSet{"parked", 1});
    for (int i = 0; i < total; ++i) {
      feeder.write(
          run::Submitted{record(ids.next(), "parked", "default", clock.wall_ms()), "", ""});
    }
  }
  return total / (static_cast<double>(clock.mono_ns() - begin) / 1e9);
}

void fill(int total) {
  const auto home = Home::from_environment();
  if (!home || !home->create()) give_up("there is no home to fill");
  constexpr WallMs kApart = 2'000;
  constexpr int kScopes = 20;  // Retention would delete runs of a scope with too many at once.
  PastClock clock(total * kApart);
  const auto store = open(home->database(), clock);
  IdMaker ids(clock);
  Feeder feeder(*store);
  for (int i = 0; i < total; ++i) {
    clock.tick(kApart);
    const RunId id = ids.next();
    const std::string scope = "project-" + std::to_string(i % kScopes);
    feeder.write(run::Submitted{record(id, "default", scope, clock.wall_ms()), "", ""});
    run::Ended ended{.id = id, .ending = run::Exited{0}};
    ended.started_at = ended.finished_at = clock.wall_ms();
    feeder.write(ended);
  }
}

// Of all threads of this process.
double cpu_us() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// One block of runs is submitted and ended; then the oldest are removed and compacted.
class Churn {
 public:
  Churn(store::Store& store, PastClock& clock, int keep)
      : store_(store), clock_(clock), ids_(clock), keep_(static_cast<size_t>(keep)) {}

  // Returns the microseconds of CPU time of one submission, with its end. Ten million runs take
  // half an hour, in which other programs may come and go; they change the time on the wall.
  double block(int runs) {
    const double begin = cpu_us();
    {
      Feeder feeder(store_);
      for (int i = 0; i < runs; ++i) {
        clock_.tick(1);
        kept_.push_back(ids_.next());
        feeder.write(
            run::Submitted{record(kept_.back(), "default", "default", clock_.wall_ms()), "", ""});
        run::Ended ended{.id = kept_.back(), .ending = run::Exited{0}};
        ended.started_at = ended.finished_at = clock_.wall_ms();
        feeder.write(ended);
      }
    }
    const double took = (cpu_us() - begin) / runs;
    {
      Feeder feeder(store_);
      for (; kept_.size() > keep_; kept_.pop_front()) feeder.write(run::Deleted{kept_.front()});
    }
    clock_.tick(2);
    while (compact()) {
    }
    return took;
  }

 private:
  bool compact() {
    std::promise<bool> more;
    store_.write(store::Compaction{.before = clock_.wall_ms()},
                 [&](const Result<store::Written>& written) {
                   if (!written) give_up(written.error().message);
                   more.set_value(written->compacted.more);
                 });
    return more.get_future().get();
  }

  store::Store& store_;
  PastClock& clock_;
  IdMaker ids_;
  const size_t keep_;
  std::deque<RunId> kept_;
};

void churn(const std::string& path, int total, int keep) {
  constexpr int kBlock = 10'000;
  constexpr int kCompared = 5;  // Blocks at the beginning and at the end, after one to warm up.
  const int blocks = total / kBlock;
  if (blocks < 2 * kCompared + 1) give_up("churn needs at least 110000 runs");
  PastClock clock(WallMs{total} * 2);
  const auto store = open(path, clock);
  const auto sizes = [&] {
    const auto now = store->sizes();
    if (!now) give_up(now.error().message);
    return *now;
  };
  Churn runs(*store, clock, keep);
  std::vector<double> first, last;
  runs.block(kBlock);
  const store::StoreSizes before = sizes();
  for (int i = 1; i < blocks; ++i) {
    const double took = runs.block(kBlock);
    if (i <= kCompared) first.push_back(took);
    if (i >= blocks - kCompared) last.push_back(took);
  }
  const store::StoreSizes after = sizes();
  std::ranges::sort(first);
  std::ranges::sort(last);
  const auto used = [](const store::StoreSizes& s) { return s.file_bytes - s.free_bytes; };
  const auto rows = static_cast<double>(after.evidence - before.evidence);
  std::printf("%.4f %.1f %.1f %.1f %lld %lld\n", last[kCompared / 2] / first[kCompared / 2],
              last[kCompared / 2], first[kCompared / 2],
              static_cast<double>(used(after) - used(before)) / rows,
              static_cast<long long>(after.events), static_cast<long long>(after.evidence));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "append" && argc == 4) {
    std::printf("%.1f\n", append(argv[2], std::atoi(argv[3])));
  } else if (what == "fill" && argc == 3) {
    fill(std::atoi(argv[2]));
  } else if (what == "churn" && argc == 5) {
    churn(argv[2], std::atoi(argv[3]), std::atoi(argv[4]));
  } else {
    give_up(
        "usage: bench-store append FILE N | bench-store fill N | bench-store churn FILE N KEEP");
  }
}
