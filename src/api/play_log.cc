#include "api/play_log.h"

#include "api/event_text.h"
#include "api/execution_log.h"
#include "api/live_stream.h"
#include "api/resolve.h"
#include "api/target.h"
#include "run/kind.h"

namespace drover::api {
namespace {

constexpr std::string_view kPreparing = R"("state":"preparing")";

class LogStream final : public LiveStream {
 public:
  LogStream(Backing& backing, Request& request, const RunId& play, std::uint64_t after)
      : LiveStream(backing, request.caller, {.run = play, .scope = {}, .waker = request.grant.run},
                   0, std::string(request.credential)),
        log_(backing.store, backing.home, play, after) {}

 private:
  std::optional<RunId> source() const override { return log_.source(); }

  // That it is being prepared comes before what follows from it; every other change comes of what
  // was printed, and after it. Of several at once the last one counts: whoever comes late, or
  // again, is told how it is now.
  void take(const Result<bus::Page>& page) override {
    if (!page) return give_up(page.error());
    for (const bus::EventPtr& event : page->events) {
      if (event->type == run::name(run::EventType::session_changed)) change_ = event;
    }
    if (change_ && change_->data.find(kPreparing) != std::string::npos) tell_change();
    auto entries = log_.read();
    if (!entries) return give_up(entries.error());
    for (const LogEntry& entry : *entries) {
      append_frame(text_, std::to_string(entry.seq), "play.log", text_of(entry));
    }
    backlog_ = !entries->empty() && !log_.finished();
    if (!backlog_) tell_change();
    finished_ = log_.finished();
  }

  void tell_change() {
    if (!change_) return;
    std::string data;
    append_json(data, *change_, std::to_string(change_->seq));
    text_.append("event: ").append(change_->type).append("\ndata: ").append(data).append("\n\n");
    change_.reset();
  }

  ExecutionLog log_;
  bus::EventPtr change_;  // To be told.
};

struct Wanted {
  std::uint64_t after = 0;
  bool follow = false;
  size_t limit = limits::kPageMax;
};

Result<Wanted> read_wanted(const Request& request) {
  Wanted wanted;
  // A browser that reconnects repeats its first address: what it has seen since counts.
  const bool resumed = !request.last_event_id.empty();
  const Query seen{{"Last-Event-ID", std::string(request.last_event_id)}};
  auto after = resumed ? number_in(seen, "Last-Event-ID", 0, kLogSeqMax)
                       : number_in(request.query, "after", 0, kLogSeqMax);
  if (!after) return std::unexpected(after.error());
  wanted.after = after->value_or(0);
  auto follow = flag_in(request.query, "follow");
  if (!follow) return std::unexpected(follow.error());
  wanted.follow = *follow || request.accept.starts_with("text/event-stream");
  auto limit = number_in(request.query, "limit", 1, limits::kPageMax);
  if (!limit) return std::unexpected(limit.error());
  if (*limit && wanted.follow) return fail_invalid("limit", "a stream has no limit; leave it out");
  wanted.limit = limit->value_or(limits::kPageMax);
  return wanted;
}

// The play that is asked for, of this project and no other.
Result<std::optional<run::Record>> play_of(Backing& backing, const Request& request,
                                           const std::string& project) {
  auto text = text_in(request.query, "run");
  if (!text) return std::unexpected(text.error());
  if (!*text) return backing.director.latest(project);
  const auto id = resolve_within(backing.store, request.grant, **text);
  if (!id) return std::unexpected(id.error());
  auto record = find_run(backing.store, id->view());
  if (!record) return std::unexpected(record.error());
  if (record->kind != run::kPlay || record->scope != session::scope_of(project)) {
    return no_such_run(**text);
  }
  return std::move(*record);
}

Result<Response> page_of(Backing& backing, const RunId& play, const Wanted& wanted) {
  Response response;
  response.content_type = "application/x-ndjson";
  ExecutionLog log(backing.store, backing.home, play, wanted.after);
  std::uint64_t next = wanted.after;
  size_t count = 0;
  while (count < wanted.limit && response.body.size() < limits::kLogReadBytesMax) {
    auto entries = log.read();
    if (!entries) return std::unexpected(entries.error());
    if (entries->empty()) break;
    for (const LogEntry& entry : *entries) {
      if (count++ == wanted.limit) break;
      response.body.append(text_of(entry)).append("\n");
      next = entry.seq;
    }
  }
  response.headers.emplace_back("Drover-Next-Seq", std::to_string(next));
  return response;
}

Response nothing_more() {
  Response response;
  response.status = 204;  // Tells a browser not to come again.
  return response;
}

}  // namespace

asio::awaitable<Result<Response>> read_play_log(Backing& backing, Request& request) {
  auto wanted = read_wanted(request);
  if (!wanted) co_return std::unexpected(wanted.error());
  auto project = find_project(backing.store, request.grant, request.subject);
  if (!project) co_return std::unexpected(project.error());
  auto play = play_of(backing, request, project->id);
  if (!play) co_return std::unexpected(play.error());
  if (!*play) {
    if (wanted->follow) co_return nothing_more();
    Response response;
    response.content_type = "application/x-ndjson";
    co_return response;
  }
  const RunId id = (*play)->id;
  if (!wanted->follow) co_return page_of(backing, id, *wanted);
  if (wanted->after > 0) {
    ExecutionLog rest(backing.store, backing.home, id, wanted->after);
    auto entries = rest.read();
    if (!entries) co_return std::unexpected(entries.error());
    if (entries->empty() && rest.finished()) co_return nothing_more();
  }
  Response response;
  response.content_type = "text/event-stream";
  response.headers.emplace_back("Cache-Control", "no-store");
  response.stream = std::make_unique<LogStream>(backing, request, id, wanted->after);
  co_return response;
}

}  // namespace drover::api
