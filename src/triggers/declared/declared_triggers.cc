#include "triggers/declared/declared_triggers.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <map>
#include <set>

#include "base/background.h"
#include "base/crash_point.h"
#include "log/log.h"
#include "play/known_projects.h"
#include "play/project.h"
#include "triggers/declared/limits.h"
#include "triggers/declared/sync_plan.h"
#include "triggers/files/file_watches.h"
#include "triggers/limits.h"
#include "work/wakeup.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

constexpr const char* kCaller = "declared-triggers";

using Steady = asio::steady_timer;

// The projects whose files declare triggers, and everything that is stored under a name that a file
// declares.
Result<std::vector<std::string>> project_roots(store::Reads& store) {
  auto projects = play::known_projects(store);
  if (!projects) return std::unexpected(projects.error());
  std::vector<std::string> out;
  for (play::KnownProject& project : *projects) out.push_back(std::move(project.root));
  return out;
}

Result<StoredByName> stored_for(store::Reads& store, const std::vector<DeclaredFile>& files) {
  StoredByName out;
  auto declared = declared_triggers(store);
  if (!declared) return std::unexpected(declared.error());
  for (StoredTrigger& trigger : *declared) {
    std::string name = trigger.name;
    out[std::move(name)].trigger = std::move(trigger);
  }
  for (const DeclaredFile& file : files) {
    for (const Declaration& one : file.triggers) {
      if (out.contains(one.name)) continue;
      auto found = find_trigger(store, one.name);
      if (!found && found.error().code == ErrorCode::not_found) continue;
      if (!found) return std::unexpected(found.error());
      out[one.name].trigger = std::move(*found);
    }
  }
  return out;
}

store::Work work_of(const FileSync& sync, const DecidedEvents& decided) {
  return [sync, decided](store::Transaction& t) -> Result<> {
    // Removed first: two triggers may exchange what is unique, such as the path of a webhook.
    for (const StoredTrigger& one : sync.removed) {
      const auto now = find_trigger(t, one.name);
      if (!now) return std::unexpected(now.error());
      if (now->revision != one.revision) {
        return fail(ErrorCode::conflict, "trigger_changed", "the trigger changed at the same time",
                    "trigger");
      }
      if (auto ok = write_removed(t, one); !ok) return ok;
    }
    for (const TriggerChange& one : sync.changed) {
      if (auto ok = write_changed(t, one, "trigger.changed"); !ok) return ok;
    }
    for (const StoredTrigger& one : sync.added) {
      if (auto ok = write_added(t, one); !ok) return ok;
    }
    return keep_decisions(t, decided);
  };
}

// An event for the owner alone: the problems contain paths and commands.
store::Work work_of(const std::string& file, const std::vector<Problem>& problems) {
  json::object data{{"file", file}, {"problems", problems.size()}};
  json::array texts;
  for (const Problem& one : problems) {
    if (texts.size() < kProblemsShownMax) texts.emplace_back(one.text());
  }
  data["messages"] = std::move(texts);
  return [event = store::SubjectEvent{
              .subject = "trigger-file/" + file,
              .type = problems.empty() ? "trigger.file_accepted" : "trigger.file_refused",
              .data = json::serialize(data)}](store::Transaction& t) -> Result<> {
    return t.append(event);
  };
}

}  // namespace

struct DeclaredTriggers::Shared : std::enable_shared_from_this<Shared> {
  explicit Shared(Parts the_parts)
      : parts(std::move(the_parts)),
        directory(declaring_directory(parts.home)),
        wakeup(parts.loop),
        first(parts.loop),
        watches(std::make_unique<FileWatches>(parts.loop, parts.workers, parts.clock,
                                              [this](const std::string& id, ChangeBatch) {
                                                watches->accepted(id);
                                                wakeup.wake();
                                              })) {
    watches->on_unchanged([this](const std::string&) { wakeup.wake(); });
  }

  void finish_first() {
    first.cancel();
    if (auto call = std::exchange(done, nullptr)) call();
  }

  // Whatever happens to one of these files, `wake` is called, and a pass follows; so it is when the
  // watch begins. Therefore nothing is missed between a pass and its watch, and a pass that reads a
  // file just before it is deleted again is not the last one.
  void watch(const std::vector<std::string>& roots) {
    std::map<std::string, FileSpec> wanted;
    wanted[directory] = {.root = directory, .globs = {"*.toml"}, .gitignore = false};
    for (const std::string& root : roots) {
      wanted[root] = {.root = root, .globs = {std::string(play::kProjectFile)}, .gitignore = false};
    }
    std::erase_if(watched, [&](const std::string& root) {
      if (wanted.contains(root)) return false;
      watches->remove(root);
      return true;
    });
    for (auto& [root, spec] : wanted) {
      if (!watched.insert(root).second) continue;
      const auto set = watches->set(root, std::move(spec), {});
      if (!set) log::error("declared triggers in {}: {}", root, set.error().message);
    }
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
      } else if (!self->problems.empty()) {
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
    self->watch(*roots);
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
    auto recorded = co_await record(self, std::move(plan->problems));
    co_return out ? std::move(recorded) : std::move(out);
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

  // Records the problems of each file that are not recorded yet, and shows all of them afterwards;
  // also those that the store could not take.
  static asio::awaitable<Result<>> record(std::shared_ptr<Shared> self,
                                          std::vector<Problem> problems) {
    std::map<std::string, std::vector<Problem>> now;
    for (const Problem& one : problems) now[one.file].push_back(one);
    for (const auto& [file, found] : self->recorded) {
      if (!found.empty()) now.try_emplace(file);
    }
    Result<> out;
    for (const auto& [file, found] : now) {
      if (self->recorded[file] == found) continue;
      for (const Problem& one : found) log::error("{}", one.text());
      if (found.empty()) log::info("{}: its problems are solved", file);
      const auto written = co_await self->parts.record(work_of(file, found));
      if (self->wakeup.is_closed()) co_return Result<>{};
      if (written) {
        self->recorded[file] = found;
      } else {
        out = std::unexpected(written.error());
      }
    }
    self->problems = std::move(problems);
    co_return out;
  }

  const Parts parts;
  const std::string directory;
  work::Wakeup wakeup;  // Of `keep_in_step`.
  Steady first;         // Until the first pass counts as late.
  std::function<void()> done;
  std::set<std::string> watched;
  std::vector<Problem> problems;
  std::map<std::string, std::vector<Problem>> recorded;  // By file.
  bus::Subscription* projects = nullptr;
  std::string trouble;  // Why the last pass failed.
  std::unique_ptr<FileWatches> watches;
};

DeclaredTriggers::DeclaredTriggers(Parts parts)
    : shared_(std::make_shared<Shared>(std::move(parts))) {}

DeclaredTriggers::~DeclaredTriggers() {
  shared_->wakeup.close();
  shared_->done = nullptr;
  shared_->first.cancel();
  if (shared_->projects != nullptr) shared_->projects->leave();
  shared_->watches.reset();
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
  return shared_->problems;
}

}  // namespace drover::triggers
