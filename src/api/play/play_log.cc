#include "api/play/play_log.h"

#include "api/ask.h"
#include "api/http/target.h"
#include "api/play/execution_log.h"
#include "api/play/projects.h"
#include "api/remember_reader.h"
#include "api/stream/event_text.h"
#include "api/stream/live_stream.h"
#include "play/kinds.h"
#include "play/plays.h"
#include "queries/resolve.h"

namespace drover::api {
namespace {

class LogStream final : public LiveStream {
 public:
  LogStream(Services& services, Request& request, const RunId& play, std::uint64_t after)
      : LiveStream(services, request.client,
                   {.run = play,
                    .scope = {},
                    .waker = request.grant.subject(),
                    .reader = share_for(request.grant)},
                   0, std::string(request.credential)),
        play_(play),
        log_(std::make_shared<ExecutionLog>(services.home, play, after)) {}

 private:
  std::optional<RunId> source() const override { return log_->source(); }

  asio::awaitable<void> take(Result<bus::Page> page) override {
    if (!page) co_return give_up(page.error());
    for (const bus::EventPtr& event : page->events) {
      if (event->type == play::kChangedEvent) change_ = event;
      ended_ = ended_ || event->is_final;
    }
    if (is_due()) tell_change();
    auto entries = co_await ask([log = log_](store::Reads& store) { return log->read(store); });
    if (!entries) co_return give_up(entries.error());
    for (const LogEntry& entry : *entries) {
      append_frame(text_, play_.str() + "." + std::to_string(entry.seq), "play.log",
                   text_of(entry));
    }
    if (is_due()) tell_change();
    backlog_ = log_->has_more();
    // The log comes from the store, and changes come from the bell, perhaps a bit later.
    finished_ = log_->finished() && ended_;
  }

  // A change follows from output, and is sent after that output: the start of a stage after all
  // output of the stages before it, the end of the session last of all. Of several pending changes
  // only the latest is sent, so a late or reconnected subscriber gets the current state.
  bool is_due() const {
    if (!change_) return false;
    const auto session = play::parse_session(change_->data);
    if (!session) return true;
    if (play::is_at_rest(session->state)) return log_->finished();
    return log_->stage() >= static_cast<size_t>(session->stage.value_or(play::Stage::build));
  }

  void tell_change() {
    std::string data;
    append_json(data, *change_, std::to_string(change_->seq));
    text_.append("event: ").append(change_->type).append("\ndata: ").append(data).append("\n\n");
    change_.reset();
  }

  const RunId play_;
  const std::shared_ptr<ExecutionLog> log_;  // Shared with the question that reads it.
  bus::EventPtr change_;                     // The change to send.
  bool ended_ = false;                       // The play's last event has arrived.
};

struct LogRequest {
  std::uint64_t after = 0;
  std::optional<RunId> of = {};  // The play that `after` belongs to; empty: the requested play.
  bool follow = false;
  size_t limit = limits::kPageMax;
};

// Parses the id of a stream's event: the play, a dot, the entry's seq.
Result<> read_last_id(std::string_view text, LogRequest& wanted) {
  const std::string name = "Last-Event-ID";
  const size_t dot = std::min(text.find('.'), text.size());
  const auto play = RunId::parse(text.substr(0, dot));
  const Query seq{{name, std::string(text.substr(std::min(dot + 1, text.size())))}};
  const auto after = number_in(seq, name, 0, kLogSeqMax);
  if (!play || !after)
    return fail_invalid(name, "invalid Last-Event-ID: send the id of an event of this stream");
  wanted.of = *play;
  wanted.after = **after;
  return {};
}

Result<LogRequest> read_wanted(const Request& request) {
  LogRequest wanted;
  auto after = number_in(request.query, "after", 0, kLogSeqMax);
  if (!after) return std::unexpected(after.error());
  wanted.after = after->value_or(0);
  // A reconnecting browser repeats its first URL: its Last-Event-ID counts.
  if (!request.last_event_id.empty()) {
    auto read = read_last_id(request.last_event_id, wanted);
    if (!read) return std::unexpected(read.error());
  }
  auto follow = flag_in(request.query, "follow");
  if (!follow) return std::unexpected(follow.error());
  wanted.follow = *follow || request.accept.starts_with("text/event-stream");
  auto limit = number_in(request.query, "limit", 1, limits::kPageMax);
  if (!limit) return std::unexpected(limit.error());
  if (*limit && wanted.follow)
    return fail_invalid("limit", "limit cannot be used with a stream; remove it");
  wanted.limit = limit->value_or(limits::kPageMax);
  return wanted;
}

// The requested play, if it is one of this project.
Result<std::optional<run::Record>> play_of(store::Reads& store, const access::Grant& grant,
                                           const play::KnownProject& project,
                                           const std::string& text) {
  const auto id = queries::resolve_within(store, grant, text);
  if (!id) return std::unexpected(id.error());
  auto record = queries::find_run(store, id->view());
  if (!record) return std::unexpected(record.error());
  if (record->kind != play::kPlay || record->scope != play::scope_of(project.id)) {
    return queries::no_such_run(text);
  }
  return std::move(*record);
}

asio::awaitable<Result<std::optional<run::Record>>> play_of(Services& services,
                                                            const Request& request,
                                                            play::KnownProject project) {
  auto text = text_in(request.query, "run");
  if (!text) co_return std::unexpected(text.error());
  if (!*text) co_return co_await latest_play(services, request, std::move(project));
  co_return co_await ask(
      services, request,
      [project = std::move(project), grant = request.grant, text = std::move(**text)](
          store::Reads& store) { return play_of(store, grant, project, text); });
}

// Runs beside the loop.
Result<Response> page_of(store::Reads& store, const Home& home, const RunId& play,
                         const LogRequest& wanted) {
  Response response;
  response.content_type = "application/x-ndjson";
  ExecutionLog log(home, play, wanted.after);
  const auto end = log.end(store);
  if (!end) return std::unexpected(end.error());
  std::uint64_t next = wanted.after;
  size_t count = 0;
  bool is_all = false;
  while (count < wanted.limit && response.body.size() < limits::kLogReadBytesMax) {
    auto entries = log.read(store);
    if (!entries) return std::unexpected(entries.error());
    is_all = entries->empty();
    if (is_all) break;
    for (const LogEntry& entry : *entries) {
      if (count++ == wanted.limit) break;
      response.body.append(text_of(entry)).append("\n");
      next = entry.seq;
    }
  }
  response.has_more = !is_all;
  response.headers.emplace_back("Drover-Next-Seq", std::to_string(next));
  response.headers.emplace_back("Drover-End-Seq", std::to_string(*end));
  return response;
}

Response nothing_printed() {
  Response response;
  response.content_type = "application/x-ndjson";
  response.headers.emplace_back("Drover-Next-Seq", "0");
  response.headers.emplace_back("Drover-End-Seq", "0");
  return response;
}

Response nothing_more() {
  Response response;
  response.status = 204;  // Tells a browser not to reconnect.
  return response;
}

asio::awaitable<Result<Response>> stream_of(Services& services, Request& request, RunId play,
                                            LogRequest wanted) {
  if (wanted.after > 0) {
    const auto over = co_await ask(
        services, request,
        [home = services.home, play, after = wanted.after](store::Reads& store) -> Result<bool> {
          ExecutionLog rest(home, play, after);
          auto entries = rest.read(store);
          if (!entries) return std::unexpected(entries.error());
          return entries->empty() && rest.finished();
        });
    if (!over) co_return std::unexpected(over.error());
    if (*over) co_return nothing_more();
  }
  Response response;
  response.content_type = "text/event-stream";
  response.headers.emplace_back("Cache-Control", "no-store");
  response.stream = std::make_unique<LogStream>(services, request, play, wanted.after);
  co_return response;
}

}  // namespace

asio::awaitable<Result<Response>> read_play_log(Services& services, Request& request) {
  auto wanted = read_wanted(request);
  if (!wanted) co_return std::unexpected(wanted.error());
  auto project = co_await find_project(services, request);
  if (!project) co_return std::unexpected(project.error());
  auto play = co_await play_of(services, request, *project);
  if (!play) co_return std::unexpected(play.error());
  if (!*play) co_return wanted->follow ? nothing_more() : nothing_printed();
  const RunId id = (*play)->id;
  // A position in another play's log is meaningless here.
  if (wanted->of && *wanted->of != id) wanted->after = 0;
  auto response =
      wanted->follow
          ? co_await stream_of(services, request, id, *wanted)
          : co_await ask(services, request,
                         [home = services.home, id, wanted = *wanted](store::Reads& store) {
                           return page_of(store, home, id, wanted);
                         });
  remember_reader(services, id, response);
  if (response) response->headers.emplace_back("Drover-Run-Id", id.str());
  co_return response;
}

}  // namespace drover::api
