#include "api/stream/sse.h"

#include "api/stream/event_text.h"
#include "api/stream/live_stream.h"
#include "base/output_file.h"
#include "queries/output_pieces.h"

namespace drover::api {
namespace {

class EventStream final : public LiveStream {
 public:
  EventStream(Services& services, Caller& caller, Follow follow)
      : LiveStream(services, caller,
                   {.run = follow.run,
                    .scope = follow.scope,
                    .runs = follow.runs,
                    .scopes = follow.scopes,
                    .waker = follow.reader,
                    .of_owner = follow.of_owner},
                   follow.after.seq, follow.credential),
        follow_(std::move(follow)),
        seen_(follow_.after) {
    if (follow_.output) output_.emplace(services.home.run_directory(*follow_.run));
  }

 private:
  std::optional<RunId> source() const override {
    return follow_.output ? follow_.run : std::nullopt;
  }

  // Appends the page's events and the output. Events come first, but the terminal event comes last.
  void take(const Result<bus::Page>& page) override {
    if (!page) return give_up(page.error());
    for (const bus::EventPtr& event : page->events) {
      if (end_) break;  // The stream ends with the run; later events are not sent.
      if (follow_.run && event->terminal) {
        end_ = event;
      } else {
        add(*event);
      }
    }
    if (output_) add_output();
    if (finished_) return;
    if (end_ && !backlog_) {
      add(*end_);
      finished_ = true;
    } else if (page->lagged > 0) {
      ++services_.traffic.lagged;
      text_.append("event: lagged\ndata: {\"missed\":").append(std::to_string(page->lagged));
      text_.append(",\"cursor\":\"").append(cursor()).append("\"}\n\n");
      finished_ = true;
    }
  }

  void add(const run::Event& event) {
    seen_.seq = event.seq;
    if (!follow_.output) {
      text_ += services_.frames.of(event);
      return;
    }
    const std::string cursor = this->cursor();
    data_.clear();
    append_json(data_, event, cursor);
    append_frame(text_, cursor, event.type, data_);
  }

  void add_output() {
    std::uint64_t next = seen_.offset;
    auto pieces = output_->read(seen_.offset, limits::kLogChunkBytes, Stream::both, &next);
    if (!pieces) return give_up(pieces.error());
    size_t bytes = 0;
    for (const OutputPiece& piece : *pieces) bytes += piece.bytes.size();
    backlog_ = bytes >= limits::kLogChunkBytes;
    // While the run is active, or the file has more, the rest of a character may still come.
    const auto held = queries::join_split_characters(*pieces, !end_ || backlog_);
    queries::merge_neighbors(*pieces, limits::kLogChunkBytes);
    for (const OutputPiece& piece : *pieces) {
      seen_.offset = piece.offset + piece.bytes.size();
      data_.clear();
      append_json(data_, piece, follow_.run->view());
      append_frame(text_, cursor(), "run.output", data_);
    }
    seen_.offset = held.value_or(next);
  }

  std::string cursor() const { return follow_.output ? text_of(seen_) : text_of(seen_.seq); }

  const Follow follow_;
  Cursor seen_;
  std::optional<OutputReader> output_;
  bus::EventPtr end_;  // The terminal event, delayed until all output was sent.
  std::string data_;
};

}  // namespace

std::unique_ptr<BodyStream> follow_events(Services& services, Caller& caller, Follow follow) {
  return std::make_unique<EventStream>(services, caller, std::move(follow));
}

}  // namespace drover::api
