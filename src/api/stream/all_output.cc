#include "api/stream/all_output.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <deque>

#include "api/stream/event_text.h"
#include "api/stream/followed_runs.h"
#include "api/stream/live_stream.h"

namespace drover::api {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr size_t kTextMax = 512 * 1024;  // Of one write; then the client has to take it.
constexpr milliseconds kUnwatched{250};  // How often to poll if inotify is unavailable.

bus::Filter filter_of(const Follow& follow) {
  return {.run = std::nullopt,
          .scope = follow.scope,
          .runs = follow.runs,
          .scopes = follow.scopes,
          .waker = follow.reader,
          .reader = follow.share,
          .of_owner = follow.of_owner,
          .notices_compaction = true};
}

// A run, and the offset in its output.
using RunOffset = std::pair<RunId, std::uint64_t>;

bool may_see(const bus::Filter& filter, const RunId& id, const std::string& scope) {
  run::Event event;
  event.run_id = id;
  event.scope = scope;
  return filter.passes(event);
}

// The offsets in the cursor, of the runs that the reader may see: its client could name any run.
Result<std::vector<RunOffset>> resumed(store::Reads& store, const bus::Filter& filter,
                                       const Cursor& seen) {
  std::vector<RunOffset> out;
  for (const auto& [id, offset] : seen.outputs) {
    const auto end = store.final_event(id);
    if (!end) return std::unexpected(end.error());
    if (*end) {
      if ((*end)->seq > seen.seq && may_see(filter, id, (*end)->scope)) {
        out.emplace_back(id, offset);
      }
      continue;
    }
    const auto record = store.find(id);
    if (!record) return std::unexpected(record.error());
    if (*record && may_see(filter, id, (*record)->scope)) out.emplace_back(id, offset);
  }
  return out;
}

// The running runs, each with the offset to begin at: 0 or, with `home`, the end of its output.
Result<std::vector<RunOffset>> running(store::Reads& store, const bus::Filter& filter,
                                       const run::Kinds& kinds, const Home* home) {
  std::vector<RunOffset> out;
  const auto take = [&](const run::Record& record) {
    if (!run::holds_slot(record.state) || kinds.is_composite(record.kind)) return;
    if (!may_see(filter, record.id, record.scope)) return;
    const std::uint64_t printed =
        home == nullptr ? 0 : OutputReader(home->run_directory(record.id)).size().value_or(0);
    out.emplace_back(record.id, printed);
  };
  for (const RunId& id : filter.runs) {
    const auto record = store.find(id);
    if (!record) return std::unexpected(record.error());
    if (*record) take(**record);
  }
  std::vector<std::string> scopes = filter.scopes;
  if (!filter.has_topics()) scopes.push_back(filter.scope);
  for (const std::string& scope : scopes) {
    for (const run::State state : {run::State::starting, run::State::running}) {
      const auto page = store.list({.state = state, .scope = scope, .limit = limits::kPageMax});
      if (!page) return std::unexpected(page.error());
      for (const run::Record& record : *page) take(record);
    }
  }
  return out;
}

class AllOutput final : public LiveStream {
 public:
  AllOutput(Services& services, RequestClient& client, Follow follow)
      : LiveStream(services, client, filter_of(follow), follow.after.seq, follow.credential),
        filter_(filter_of(follow)),
        seen_(follow.after),
        from_now_(follow.from_now),
        runs_(services, [this] { wake(); }) {}

 private:
  std::optional<RunId> source() const override { return std::nullopt; }
  bool wants_events() const override { return waiting_.empty(); }

  Time look_by(Time latest) override {
    if (!runs_.is_blind()) return latest;
    runs_.suspect();
    return std::min<Time>(latest, steady_clock::now() + kUnwatched);
  }

  asio::awaitable<Result<>> begin() override {
    const auto offsets = co_await ask(
        [filter = filter_, seen = seen_, from_now = from_now_, home = services_.home,
         &kinds = services_.kinds](store::Reads& store) -> Result<std::vector<RunOffset>> {
          return seen.has_outputs ? resumed(store, filter, seen)
                                  : running(store, filter, kinds, from_now ? &home : nullptr);
        });
    if (!offsets) co_return std::unexpected(offsets.error());
    for (const auto& [id, offset] : *offsets) {
      if (seen_.has_outputs) {
        runs_.resume(id, offset);
      } else if (!runs_.add(id, offset)) {
        beyond_.push_back(id);
      }
    }
    co_return Result<>{};
  }

  asio::awaitable<std::vector<run::Record>> find(std::vector<RunId> ids) {
    auto found = co_await ask(
        [ids = std::move(ids)](store::Reads& store) -> Result<std::vector<run::Record>> {
          std::vector<run::Record> out;
          for (const RunId& id : ids) {
            auto record = store.find(id);
            if (!record) return std::unexpected(record.error());
            if (*record) out.push_back(std::move(**record));
          }
          return out;
        });
    co_return found ? std::move(*found) : std::vector<run::Record>();
  }

  asio::awaitable<void> take(Result<bus::Page> page) override {
    if (!page) co_return give_up(page.error());
    waiting_.insert(waiting_.end(), page->events.begin(), page->events.end());
    co_await add_events();
    if (finished_) co_return;
    co_await runs_.open([this](std::vector<RunId> ids) { return find(std::move(ids)); });
    const auto more = co_await runs_.append_to(sink(), kTextMax);
    if (!more) co_return give_up(more.error());
    backlog_ = *more || !waiting_.empty();
    if (page->lagged == 0) co_return;
    ++services_.traffic.lagged;
    data_ = lagged_text(page->lagged, cursor());
    format_.event(text_, "", "lagged", data_);
    finished_ = true;
  }

  // Adds events up to the first final event whose run still has unsent output.
  asio::awaitable<void> add_events() {
    while (!waiting_.empty() && text_.size() < kTextMax) {
      const run::Event& event = *waiting_.front();
      if (event.is_final) {
        const auto more = co_await runs_.append_rest(waiting_.front(), sink());
        if (!more) co_return give_up(more.error());
        if (*more) co_return;
      } else if (event.type == name(run::EventType::starting) && !runs_.add(event.run_id)) {
        beyond_.push_back(event.run_id);
      }
      add(event);
      waiting_.pop_front();
    }
    if (!beyond_.empty()) defer(std::exchange(beyond_, {}));
  }

  void add(const run::Event& event) {
    seen_.seq = event.seq;
    const std::string cursor = this->cursor();
    data_.clear();
    append_json(data_, event, cursor);
    format_.event(text_, cursor, event.type, data_);
  }

  // The output of these runs comes when they finish.
  void defer(const std::vector<RunId>& runs) {
    boost::json::array ids;
    for (const RunId& id : runs) ids.emplace_back(id.view());
    data_ = boost::json::serialize(
        boost::json::object{{"run_ids", std::move(ids)}, {"followed", limits::kOutputRunsMax}});
    format_.event(text_, "", "output_deferred", data_);
  }

  OutputSource::Sink sink() {
    return {.out = text_,
            .format = format_,
            .bytes_max = limits::kLogChunkBytes,
            .cursor = cursor_,
            .workers = services_.workers,
            .caller = worker_caller()};
  }

  std::string cursor() {
    runs_.add_to(seen_);
    return text_of(seen_, services_.store.epochs());
  }

  const bus::Filter filter_;
  Cursor seen_;
  const bool from_now_;
  FollowedRuns runs_;
  std::deque<bus::EventPtr> waiting_;  // At most a page; unsent until the output before them is.
  std::vector<RunId> beyond_;
  std::string data_;
  const std::function<std::string()> cursor_ = [this] { return cursor(); };
};

}  // namespace

std::unique_ptr<BodyStream> follow_all_output(Services& services, RequestClient& client,
                                              Follow follow) {
  return std::make_unique<AllOutput>(services, client, std::move(follow));
}

}  // namespace drover::api
