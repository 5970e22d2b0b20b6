#include "triggers/files/file_triggers.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>

#include "base/background.h"
#include "base/text.h"
#include "log/log.h"
#include "triggers/events/accept_event.h"
#include "triggers/events/event_digest.h"
#include "triggers/events/event_producer.h"
#include "triggers/files/snapshot_codec.h"
#include "triggers/files/snapshot_store.h"
#include "triggers/limits.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

json::object describe(const FileChange& change) {
  json::object out{{"kind", name_of(change.kind)}, {"path", bounded(change.path, 4'096)}};
  if (!change.from.empty()) out["from"] = bounded(change.from, 4'096);
  if (change.entry) out["size"] = change.entry->size;
  return out;
}

// {"root","count","changes":[{"kind","path","from","size"}],"coalesced"}: the list is cut at the
// limit of a payload.
std::string payload_of(const FileSpec& spec, const ChangeBatch& batch) {
  json::object out{{"root", spec.root}, {"count", batch.count}, {"coalesced", batch.coalesced}};
  json::array changes;
  size_t bytes = 0;
  for (const FileChange& change : batch.changes) {
    json::object one = describe(change);
    bytes += change.path.size() + change.from.size() + 64;
    if (bytes > kFileChangesBytesMax) break;
    changes.push_back(std::move(one));
  }
  out["changes"] = std::move(changes);
  return json::serialize(out);
}

// The same files, whatever has become of them.
std::string paths_of(const ChangeBatch& batch) {
  std::string out = batch.coalesced ? std::to_string(batch.count) + "\n" : "";
  for (const FileChange& change : batch.changes) out += change.path + "\n";
  return out;
}

}  // namespace

struct FileTriggers::Shared : std::enable_shared_from_this<FileTriggers::Shared> {
  Shared(asio::any_io_executor executor, work::Pool& pool, const Clock& the_clock,
         store::ReadPool& the_reads, spine::Recorder recorder)
      : loop(std::move(executor)),
        clock(the_clock),
        reads(the_reads),
        record(std::move(recorder)),
        ids(the_clock),
        watches(std::make_unique<FileWatches>(
            loop, pool, the_clock,
            [this](const std::string& name, ChangeBatch batch) { take(name, std::move(batch)); })) {
  }

  // Reads the stored snapshot, then watches.
  asio::awaitable<void> begin(StoredTrigger trigger, std::uint64_t turn) {
    auto spec = read_spec(trigger.spec, trigger.anchor);
    if (!spec) {
      log::error("trigger {}: {}", trigger.name, spec.error().message);
      co_return;
    }
    const auto stored = co_await reads.ask(
        {}, [name = trigger.name](store::Reads& store) { return state_of(store, name); });
    if (!watches || turns[trigger.name] != turn) co_return;
    Snapshot known;
    if (stored && !stored->empty()) {
      const std::vector<std::string> bytes = stored_records(*stored);
      const std::vector<std::string_view> parts(bytes.begin(), bytes.end());
      if (auto decoded = decode_parts(parts)) {
        known = std::move(*decoded);
      } else {
        log::warn("trigger {}: {}; it starts from the files that exist now", trigger.name,
                  decoded.error().message);
      }
    }
    specs.insert_or_assign(trigger.name, *spec);
    places[trigger.name] = stored ? places_in(*stored) : initial_places();
    const auto set = watches->set(trigger.name, std::get<FileSpec>(spec->source), std::move(known));
    if (set) co_return;
    log::error("trigger {}: {}", trigger.name, set.error().message);
    refusals[trigger.name] = set.error().reason + ": " + set.error().message;
  }

  void take(const std::string& name, ChangeBatch batch) {
    asio::co_spawn(loop, write(shared_from_this(), name, std::move(batch), turns[name]),
                   in_background);
  }

  // One commit; without an `accept` of its own event it says that the files are known.
  static store::Work work_for(std::string name, std::vector<StatePart> parts, store::Work accept) {
    return [name = std::move(name), parts = std::move(parts),
            accept = std::move(accept)](store::Transaction& t) -> Result<> {
      if (!find_trigger(t, name)) return {};
      if (accept) {
        if (auto ok = accept(t); !ok) return ok;
      }
      for (const StatePart& part : parts) {
        if (auto ok = set_state(t, name, part); !ok) return ok;
      }
      if (accept) return {};
      return t.append(
          {.subject = "trigger/" + name, .type = "trigger.watched", .scope = scope_of(name)});
    };
  }

  // Tries until the commit is made: meanwhile changes gather.
  static asio::awaitable<void> write(std::shared_ptr<Shared> self, std::string name,
                                     ChangeBatch batch, std::uint64_t turn) {
    const auto spec = self->specs.find(name);
    if (spec == self->specs.end()) co_return;
    const EventEnvelope event{
        .id = "evt_" + self->ids.next().str().substr(4),
        .type = std::string(event_type_of(spec->second.source)),
        .producer = producer_of(spec->second.source, name),
        .time = self->clock.wall_ms(),
        .dedup_key = digest_of(paths_of(batch)),
        .chain = {},
        .payload = payload_of(std::get<FileSpec>(spec->second.source), batch)};
    std::string places = self->places[name];
    SnapshotWrites writes = writes_for(batch.parts, places, kStateBytesPerWork);
    std::vector<store::Work> works;
    for (std::vector<StatePart>& part : writes.before) {
      works.push_back(work_for(name, std::move(part), {}));
    }
    store::Work accept;
    if (batch.count > 0) {
      accept = [wanted = wanted_by(spec->second, event), event](store::Transaction& t) {
        return accept_event(t, wanted, event);
      };
    }
    works.push_back(work_for(name, std::move(writes.with_event), std::move(accept)));
    for (size_t i = 0; i < works.size();) {
      const auto written = co_await self->record(works[i]);
      if (!self->watches || self->turns[name] != turn) co_return;
      if (written) {
        ++i;
        self->refusals.erase(name);
        continue;
      }
      log::warn("trigger {} waits: {}", name, written.error().message);
      self->refusals[name] = "its changes cannot be recorded: " + written.error().message;
      asio::steady_timer pause(self->loop, std::chrono::milliseconds(kStoreRetryMs));
      co_await pause.async_wait(asio::use_awaitable);
      if (!self->watches || self->turns[name] != turn) co_return;
    }
    self->places[name] = std::move(places);
    self->watches->accepted(name);
  }

  const asio::any_io_executor loop;
  const Clock& clock;
  store::ReadPool& reads;
  const spine::Recorder record;
  IdMaker ids;
  std::map<std::string, TriggerSpec> specs;
  std::map<std::string, std::uint64_t> turns;   // Counts the changes of a trigger.
  std::map<std::string, std::string> places;    // Where the parts of the snapshots are.
  std::map<std::string, std::string> refusals;  // Why a trigger is not watched, or cannot record.
  std::unique_ptr<FileWatches> watches;         // Null: closed.
};

FileTriggers::FileTriggers(asio::any_io_executor loop, work::Pool& pool, const Clock& clock,
                           store::ReadPool& reads, spine::Recorder record)
    : shared_(std::make_shared<Shared>(std::move(loop), pool, clock, reads, std::move(record))) {}

FileTriggers::~FileTriggers() {
  shared_->watches.reset();
}

void FileTriggers::set(const StoredTrigger& trigger) {
  remove(trigger.name);
  if (trigger.source_type != "file" || trigger.paused_at != 0) return;
  asio::co_spawn(shared_->loop, shared_->begin(trigger, shared_->turns[trigger.name]),
                 [shared = shared_](std::exception_ptr bug) {
                   if (bug) std::rethrow_exception(bug);
                 });
}

void FileTriggers::remove(const std::string& name) {
  ++shared_->turns[name];
  shared_->specs.erase(name);
  shared_->places.erase(name);
  shared_->refusals.erase(name);
  shared_->watches->remove(name);
}

std::map<std::string, std::string> FileTriggers::warnings() const {
  std::map<std::string, std::string> out = shared_->refusals;
  for (const auto& [name, spec] : shared_->specs) {
    if (std::string text = warning(name); !text.empty()) out[name] = std::move(text);
  }
  return out;
}

std::string FileTriggers::warning(const std::string& name) const {
  const auto refused = shared_->refusals.find(name);
  if (refused != shared_->refusals.end()) return refused->second;
  const auto status = shared_->watches->status(name);
  return status ? status->warning : "";
}

}  // namespace drover::triggers
