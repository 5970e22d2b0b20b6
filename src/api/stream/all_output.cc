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
          .of_owner = follow.of_owner,
          .notices_compaction = true};
}

class AllOutput final : public LiveStream {
 public:
  AllOutput(Services& services, Caller& caller, Follow follow)
      : LiveStream(services, caller, filter_of(follow), follow.after.seq, follow.credential),
        filter_(filter_of(follow)),
        seen_(follow.after),
        runs_(services, [this] { wake(); }) {
    if (seen_.has_outputs) {
      resume();
    } else {
      begin(follow.from_now);
    }
  }

 private:
  std::optional<RunId> source() const override { return std::nullopt; }
  bool wants_events() const override { return waiting_.empty(); }

  Time look_by(Time latest) override {
    if (!runs_.is_blind()) return latest;
    runs_.suspect();
    return std::min<Time>(latest, steady_clock::now() + kUnwatched);
  }

  bool may_see(const RunId& id, const std::string& scope) const {
    run::Event event;
    event.run_id = id;
    event.scope = scope;
    return filter_.passes(event);
  }

  // The places in the cursor. Its client could have named any run.
  void resume() {
    for (const auto& [id, offset] : seen_.outputs) {
      const auto end = services_.store.terminal_event(id);
      if (end && *end) {
        if ((*end)->seq > seen_.seq && may_see(id, (*end)->scope)) runs_.resume(id, offset);
        continue;
      }
      const auto record = services_.store.find(id);
      if (record && *record && may_see(id, (*record)->scope)) runs_.resume(id, offset);
    }
  }

  // The runs that are running: from their next byte on, or from their first.
  void begin(bool from_now) {
    for (const run::Record& record : running()) {
      std::uint64_t offset = 0;
      if (from_now) {
        OutputReader output(services_.home.run_directory(record.id));
        offset = output.size().value_or(0);
      }
      if (!runs_.add(record.id, offset)) beyond_.push_back(record.id);
    }
  }

  std::vector<run::Record> running() const {
    std::vector<run::Record> out;
    const auto take = [&](const run::Record& record) {
      if (!run::holds_slot(record.state) || services_.kinds.is_composite(record.kind)) return;
      if (may_see(record.id, record.scope)) out.push_back(record);
    };
    for (const RunId& id : filter_.runs) {
      const auto record = services_.store.find(id);
      if (record && *record) take(**record);
    }
    std::vector<std::string> scopes = filter_.scopes;
    if (!filter_.has_topics()) scopes.push_back(filter_.scope);
    for (const std::string& scope : scopes) {
      for (const run::State state : {run::State::starting, run::State::running}) {
        const auto page =
            services_.store.list({.state = state, .scope = scope, .limit = limits::kPageMax});
        if (!page) continue;
        for (const run::Record& record : *page) take(record);
      }
    }
    return out;
  }

  void take(const Result<bus::Page>& page) override {
    if (!page) return give_up(page.error());
    waiting_.insert(waiting_.end(), page->events.begin(), page->events.end());
    add_events();
    if (finished_) return;
    runs_.open();
    const auto more = runs_.append_to(wish(), kTextMax);
    if (!more) return give_up(more.error());
    backlog_ = *more || !waiting_.empty();
    if (page->lagged == 0) return;
    ++services_.traffic.lagged;
    data_ = lagged_text(page->lagged, cursor());
    format_.event(text_, "", "lagged", data_);
    finished_ = true;
  }

  // Until one has to wait for output.
  void add_events() {
    while (!waiting_.empty() && text_.size() < kTextMax) {
      const run::Event& event = *waiting_.front();
      if (event.terminal) {
        const auto more = runs_.append_rest(event, wish());
        if (!more) return give_up(more.error());
        if (*more) return;
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

  OutputSource::Wish wish() {
    return {
        .out = text_, .format = format_, .bytes_max = limits::kLogChunkBytes, .cursor = cursor_};
  }

  std::string cursor() {
    runs_.add_to(seen_);
    return text_of(seen_, services_.store.epochs());
  }

  const bus::Filter filter_;
  Cursor seen_;
  FollowedRuns runs_;
  std::deque<bus::EventPtr> waiting_;  // At most a page: behind a run whose output comes first.
  std::vector<RunId> beyond_;
  std::string data_;
  const std::function<std::string()> cursor_ = [this] { return cursor(); };
};

}  // namespace

std::unique_ptr<BodyStream> follow_all_output(Services& services, Caller& caller, Follow follow) {
  return std::make_unique<AllOutput>(services, caller, std::move(follow));
}

}  // namespace drover::api
