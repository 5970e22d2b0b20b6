#include "triggers/declared/declared_triggers.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "base/background.h"
#include "base/crash_point.h"
#include "log/log.h"
#include "triggers/declared/declaration_watch.h"
#include "triggers/declared/known_problems.h"
#include "triggers/declared/limits.h"
#include "triggers/declared/sync_plan.h"
#include "triggers/declared/sync_store.h"
#include "triggers/limits.h"
#include "work/wakeup.h"

namespace drover::triggers {
namespace {

constexpr const char* kCaller = "declared-triggers";

using Steady = asio::steady_timer;

}  // namespace

struct DeclaredTriggers::Shared {
  explicit Shared(Parts the_parts)
      : parts(std::move(the_parts)),
        directory(declaring_directory(parts.home)),
        wakeup(parts.loop),
        first(parts.loop),
        watch(std::make_unique<DeclarationWatch>(parts.loop, parts.workers, parts.clock,
                                                 [this] { wakeup.wake(); })) {}

  void finish_first() {
    first.cancel();
    if (auto call = std::exchange(done, nullptr)) call();
  }

  static asio::awaitable<void> follow_projects(std::shared_ptr<Shared> self) {
    bus::Subscription events(self->parts.bell, self->parts.loop,
                             {.run = {}, .scope = {}, .about = "project"},
                             self->parts.bell.last_seq());
    self->projects = &events;
    while (!self->wakeup.is_closed()) {
      const auto page = co_await events.next(Steady::clock_type::now() + std::chrono::hours(24));
      if (self->wakeup.is_closed()) break;
      self->wakeup.wake();
      if (page) continue;
      Steady pause(self->parts.loop, std::chrono::milliseconds(kStoreRetryMs));
      co_await pause.async_wait(asio::use_awaitable);
    }
    self->projects = nullptr;
  }

  static asio::awaitable<void> keep_in_step(std::shared_ptr<Shared> self) {
    while (!self->wakeup.is_closed()) {
      const Result<> passed = co_await pass(self);
      if (self->wakeup.is_closed()) co_return;
      const std::string trouble = passed ? "" : passed.error().message;
      if (!trouble.empty() && trouble != self->trouble) {
        log::warn("declared triggers wait: {}", trouble);
      }
      self->trouble = trouble;
      if (passed) self->finish_first();
      if (self->wakeup.is_closed()) co_return;
      if (!passed) {
        co_await self->wakeup.wait_for(std::chrono::milliseconds(kStoreRetryMs));
      } else if (!self->problems.current().empty()) {
        co_await self->wakeup.wait_for(std::chrono::milliseconds(kDeclaredRetryMs));
      } else {
        co_await self->wakeup.wait();
      }
    }
  }

  // Reads all files and writes what differs. An error: the same pass again, later.
  static asio::awaitable<Result<>> pass(std::shared_ptr<Shared> self) {
    const Parts& parts = self->parts;
    const auto roots = co_await parts.reads.ask({.name = kCaller}, project_roots);
    if (self->wakeup.is_closed() || !roots) co_return failed(roots);
    self->watch->watch(self->directory, *roots);
    auto files = co_await parts.workers.run(
        {.name = kCaller},
        [directory = self->directory, roots = *roots](const work::Turn&)
            -> Result<std::vector<DeclaredFile>> { return load_all_declared(directory, roots); });
    if (self->wakeup.is_closed() || !files) co_return failed(files);
    auto stored = co_await parts.reads.ask(
        {.name = kCaller},
        [files = *files](store::Reads& store) { return stored_for(store, files); });
    if (self->wakeup.is_closed() || !stored) co_return failed(stored);
    auto plan = co_await parts.workers.run(
        {.name = kCaller},
        [files = std::move(*files), stored = std::move(*stored), home = parts.home,
         now = parts.clock.wall_ms()](const work::Turn&) mutable -> Result<SyncPlan> {
          for (auto& [name, one] : stored) {
            if (auto known = read_environment_file(home, name)) one.variables = std::move(*known);
          }
          return plan_sync(files, stored, now);
        });
    if (self->wakeup.is_closed() || !plan) co_return failed(plan);
    Result<> out;
    for (const FileSync& file : plan->files) {
      auto written = co_await write(self, file);
      if (self->wakeup.is_closed()) co_return Result<>{};
      if (!written) out = std::move(written);
    }
    auto reported = co_await report(self, std::move(plan->problems));
    co_return out ? std::move(reported) : std::move(out);
  }

  template <class Value>
  static Result<> failed(const Result<Value>& result) {
    return result ? Result<>{} : Result<>(std::unexpected(result.error()));
  }

  // The environments first, as for a trigger that is added by hand: a trigger without its
  // environment must not fire.
  static asio::awaitable<Result<>> write(std::shared_ptr<Shared> self, FileSync file) {
    auto kept = co_await self->parts.workers.run(
        {.name = kCaller},
        [home = self->parts.home, variables = file.variables](const work::Turn&) -> Result<bool> {
          for (const auto& [name, values] : variables) {
            if (auto ok = write_environment_file(home, name, values); !ok) {
              return std::unexpected(ok.error());
            }
          }
          return true;
        });
    if (self->wakeup.is_closed() || !kept) co_return failed(kept);
    crash_point("trigger.declaring");
    const auto written = co_await self->parts.record(work_of(file, self->parts.decided));
    if (self->wakeup.is_closed() || !written) co_return failed(written);
    crash_point("trigger.declared");
    for (const StoredTrigger& one : file.removed) {
      remove_files(self->parts.home, one.name);
      self->parts.changed(nullptr, one.name);
    }
    for (TriggerChange& one : file.changed) {
      ++one.now.revision;
      self->parts.changed(&one.now, one.now.name);
    }
    for (const StoredTrigger& one : file.added) self->parts.changed(&one, one.name);
    log::info("{}: {} added, {} changed, {} removed", file.file, file.added.size(),
              file.changed.size(), file.removed.size());
    co_return Result<>{};
  }

  // Reports the problems of each file that were not reported yet, and shows all of them afterwards;
  // also if the store cannot take the reports, which are then repeated with the pass.
  static asio::awaitable<Result<>> report(std::shared_ptr<Shared> self,
                                          std::vector<Problem> problems) {
    Result<> out;
    for (const auto& [file, found] : self->problems.unreported(problems)) {
      const auto written = co_await self->parts.record(report_work(file, found));
      if (self->wakeup.is_closed()) co_return Result<>{};
      if (!written) {
        out = std::unexpected(written.error());
        break;
      }
      for (const Problem& one : found) log::error("{}", one.text());
      if (found.empty()) log::info("{}: its problems are solved", file);
      self->problems.set_reported(file, found);
    }
    self->problems.set_current(std::move(problems));
    co_return out;
  }

  const Parts parts;
  const std::string directory;
  work::Wakeup wakeup;  // Of `keep_in_step`.
  Steady first;         // Until the first pass counts as late.
  std::function<void()> done;
  KnownProblems problems;
  bus::Subscription* projects = nullptr;
  std::string trouble;  // Why the last pass failed.
  std::unique_ptr<DeclarationWatch> watch;
};

DeclaredTriggers::DeclaredTriggers(Parts parts)
    : shared_(std::make_shared<Shared>(std::move(parts))) {}

DeclaredTriggers::~DeclaredTriggers() {
  shared_->wakeup.close();
  shared_->done = nullptr;
  shared_->first.cancel();
  if (shared_->projects != nullptr) shared_->projects->leave();
  shared_->watch.reset();
}

void DeclaredTriggers::begin(std::function<void()> done) {
  shared_->done = std::move(done);
  shared_->first.expires_after(std::chrono::milliseconds(kFirstSyncMs));
  shared_->first.async_wait([shared = shared_](boost::system::error_code canceled) {
    if (!canceled && !shared->wakeup.is_closed()) shared->finish_first();
  });
  asio::co_spawn(shared_->parts.loop, Shared::keep_in_step(shared_), in_background);
  asio::co_spawn(shared_->parts.loop, Shared::follow_projects(shared_), in_background);
}

void DeclaredTriggers::wake() {
  shared_->wakeup.wake();
}

const std::vector<Problem>& DeclaredTriggers::problems() const {
  return shared_->problems.current();
}

}  // namespace drover::triggers
