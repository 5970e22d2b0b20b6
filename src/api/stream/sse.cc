#include "api/stream/sse.h"

#include "api/stream/all_output.h"
#include "api/stream/event_text.h"
#include "api/stream/format.h"
#include "api/stream/live_stream.h"
#include "api/stream/output_source.h"

namespace drover::api {
namespace {

constexpr size_t kFrameBytes = 512 * 1024;  // More than one write to a socket takes.

class EventStream final : public LiveStream {
 public:
  EventStream(Services& services, RequestClient& client, Follow follow)
      : LiveStream(services, client,
                   {.run = follow.run,
                    .scope = follow.scope,
                    .runs = follow.runs,
                    .scopes = follow.scopes,
                    .waker = follow.reader,
                    .reader = follow.share,
                    .of_owner = follow.of_owner,
                    .notices_compaction = true},
                   follow.after.seq, follow.credential,
                   follow.frames ? api::frames() : server_sent_events()),
        client_(client),
        follow_(std::move(follow)),
        seen_(follow_.after) {
    if (follow_.output) {
      output_.emplace(*follow_.run, services.home.run_directory(*follow_.run), seen_.offset);
    }
    if (follow_.exact) reader_.emplace(services.exact_readers, *follow_.run);
  }
  ~EventStream() override {
    if (reader_ && client_.may_return()) reader_->may_return();
  }
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  asio::awaitable<void> run(Sink& sink) override {
    if (reader_) sink.wait_for_reader();
    return LiveStream::run(sink);
  }

 private:
  std::optional<RunId> source() const override {
    return follow_.output ? follow_.run : std::nullopt;
  }

  // Appends the page's events and the output. Events come first, but the final event comes last.
  asio::awaitable<void> take(Result<bus::Page> page) override {
    if (!page) co_return give_up(page.error());
    for (const bus::EventPtr& event : page->events) {
      if (end_) break;  // The stream ends with the run; later events are not sent.
      if (follow_.run && event->is_final) {
        end_ = event;
      } else {
        add(*event);
      }
    }
    if (output_) co_await add_output();
    if (finished_) co_return;
    if (end_ && !backlog_) {
      add(*end_);
      finished_ = true;
    } else if (page->lagged > 0) {
      ++services_.traffic.lagged;
      if (reader_) reader_->may_return();
      data_ = lagged_text(page->lagged, cursor());
      format_.event(text_, "", "lagged", data_);
      finished_ = true;
    }
  }

  void add(const run::Event& event) {
    seen_.seq = event.seq;
    if (!follow_.output) {
      text_ += services_.frames.of(event, services_.store.epochs());
      return;
    }
    const std::string cursor = this->cursor();
    data_.clear();
    append_json(data_, event, cursor);
    format_.event(text_, cursor, event.type, data_);
  }

  void wrote() override {
    if (!reader_) return;
    reader_->read_to(seen_.offset);
    if (finished_ && end_) reader_->finish();
  }

  asio::awaitable<void> add_output() {
    if (end_) output_->end_at(printed_by(*end_));
    const auto more = co_await output_->append_to(
        {.out = text_,
         .format = format_,
         .bytes_max = follow_.frames ? kFrameBytes : limits::kLogChunkBytes,
         .cursor = cursor_,
         .workers = services_.workers,
         .caller = worker_caller()});
    if (!more) co_return give_up(more.error());
    backlog_ = *more;
    seen_.offset = output_->offset();
  }

  std::string cursor() {
    const store::Epochs& epochs = services_.store.epochs();
    if (!output_) return text_of(seen_.seq, epochs);
    seen_.offset = output_->offset();
    return text_of(seen_, epochs);
  }

  RequestClient& client_;
  const Follow follow_;
  Cursor seen_;
  std::optional<OutputSource> output_;
  std::optional<queries::ExactReaders::Reader> reader_;
  bus::EventPtr end_;  // The final event, delayed until all output was sent.
  std::string data_;
  const std::function<std::string()> cursor_ = [this] { return cursor(); };
};

// The stream for a cursor at which the log does not continue: it says so and where to resume.
class LaggedStream final : public BodyStream {
 public:
  explicit LaggedStream(std::string text) : text_(std::move(text)) {}
  asio::awaitable<void> run(Sink& sink) override { (void)co_await sink.write(std::move(text_)); }

 private:
  std::string text_;
};

}  // namespace

std::unique_ptr<BodyStream> follow_events(Services& services, RequestClient& client,
                                          Follow follow) {
  const store::Epochs& epochs = services.store.epochs();
  const CursorVerdict verdict =
      judge(follow.after, services.bell.last_seq(), epochs, follow.compacted_through);
  if (verdict.lagged) {
    ++services.traffic.lagged;
    const Cursor& at = verdict.resume_at;
    const std::string cursor = follow.output ? text_of(at, epochs) : text_of(at.seq, epochs);
    const StreamFormat& format = follow.frames ? frames() : server_sent_events();
    std::string text;
    format.begin(text);
    // With the id, a browser resumes there by itself.
    format.event(text, cursor, "lagged", lagged_text(verdict.missed, cursor));
    return std::make_unique<LaggedStream>(std::move(text));
  }
  if (follow.output && !follow.run) {
    return follow_all_output(services, client, std::move(follow));
  }
  return std::make_unique<EventStream>(services, client, std::move(follow));
}

}  // namespace drover::api
