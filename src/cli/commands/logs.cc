// drover logs: prints the output of a run, in the order in which it was written.
#include <array>
#include <boost/json/parse.hpp>
#include <map>
#include <utility>

#include "base/limits.h"
#include "base/number.h"
#include "base/plain_text.h"
#include "cli/client/follow.h"
#include "cli/client/output_page.h"
#include "cli/commands/commands.h"
#include "cli/fields.h"
#include "cli/views/gap_seam.h"
#include "cli/views/output.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "cli/views/words.h"
#include "cli/which_run.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"follow", 'f', Takes::nothing, "", "Keep printing new output until the run has finished"},
    {"tail", 'n', Takes::text, "N", "Print only the last N lines"},
    {"stream", 0, Takes::text, "stdout|stderr", "Print only one stream"},
    {"plain", 0, Takes::nothing, "", "Remove escape codes; print each line as it looked last"},
    {"raw", 0, Takes::nothing, "", "Print every byte, even terminal output into a pipe"},
    {"timestamps", 't', Takes::nothing, "", "Print the time in front of each line"},
});

// Prints chunks of output: as bytes, as JSON lines, or as lines with timestamps.
class Printer {
 public:
  Printer(Context& context, bool timestamps, bool plain, CutLines cut)
      : context_(context),
        timestamps_(timestamps),
        plain_(plain),
        seam_(
            cut,
            [this](int, std::string_view bytes, bool was_held) { return show(bytes, was_held); },
            [this](const MissingBytes& missing) { context_.screen.notice(say_gap(missing)); }) {}

  Result<> print(const object& chunk) {
    if (context_.json) return context_.screen.print(json_text(chunk) + "\n");
    if (chunk.contains("gap")) return leave_out(gap_bytes(chunk));
    const Result<std::string> bytes = bytes_of(chunk);
    if (!bytes) return std::unexpected(bytes.error());
    if (timestamps_) {
      const auto time = parse_rfc3339(text_in(chunk, "time"));
      now_ = {.stamp = (time ? say_local(*time, true) : "-") + " ",
              .stream = text_in(chunk, "stream")};
    }
    return print(*bytes);
  }
  Result<> print(std::string_view bytes) {
    const bool was_holding = seam_.is_holding();
    printed_held_ = false;
    auto ok = seam_.pass(1, bytes);
    if (!was_holding || printed_held_) held_ = now_;
    return ok;
  }
  // These bytes are not kept. They may have ended an escape code that began before them.
  Result<> leave_out(std::uint64_t bytes) {
    if (auto ok = context_.screen.print(with_times(text_.finish(), now_)); !ok) return ok;
    text_ = {};
    return seam_.gap(bytes);
  }
  void hold() { seam_.hold(); }
  Result<> flush() { return seam_.flush(); }
  Result<> finish() {
    if (auto ok = seam_.finish(); !ok) return ok;
    return context_.screen.print(with_times(text_.finish(), now_));
  }

 private:
  // The time and the stream of a chunk. A line has the time of its first byte.
  struct Origin {
    std::string stamp, stream;
  };

  Result<> show(std::string_view bytes, bool was_held) {
    printed_held_ = printed_held_ || was_held;
    const Origin& origin = was_held ? held_ : now_;
    if (plain_) return context_.screen.print(with_times(text_.pass(bytes), origin));
    return context_.screen.print(timestamps_ ? with_times(bytes, origin) : bytes);
  }

  std::string with_times(std::string_view bytes, const Origin& origin) {
    if (!timestamps_) return std::string(bytes);
    std::string out;
    bool& within = within_line_[origin.stream];
    while (!bytes.empty()) {
      if (!within) out += origin.stamp;
      const size_t end = bytes.find('\n');
      within = end == std::string_view::npos;
      const size_t size = within ? bytes.size() : end + 1;
      out += bytes.substr(0, size);
      bytes.remove_prefix(size);
    }
    return out;
  }

  Context& context_;
  bool timestamps_;
  bool plain_;
  GapSeam seam_;
  PlainText text_;
  Origin now_;   // Of the last chunk.
  Origin held_;  // Of the part of a line that the seam holds.
  bool printed_held_ = false;
  std::map<std::string, bool> within_line_;
};

// Prints the output so far; returns the offset after it.
Result<std::uint64_t> print_present(Context& context, const Call& start, bool lines,
                                    Printer& printer) {
  Call call = start;
  call.query.emplace_back("limit", std::to_string(limits::kLogReadBytesMax));
  if (lines) call.query.emplace_back("format", "ndjson");
  const Pairs without_offset = call.query;
  for (std::uint64_t offset = 0;;) {
    const Result<CallAnswer> answer = context.client.call(wire::runs::logs, call);
    if (!answer) return std::unexpected(answer.error());
    std::string_view rest = answer->body;
    const std::uint64_t next = next_offset_of(*answer);
    if (!lines) {
      const auto bytes = [&](std::string_view body) { return printer.print(body); };
      const auto gap = [&](std::uint64_t size) { return printer.leave_out(size); };
      if (auto ok = pass_page(*answer, bytes, gap); !ok) return std::unexpected(ok.error());
      rest = {};
    }
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size() - 1);
      boost::system::error_code bad;
      const boost::json::value chunk = boost::json::parse(rest.substr(0, end), bad);
      if (!bad && chunk.is_object()) {
        if (auto ok = printer.print(chunk.get_object()); !ok) return std::unexpected(ok.error());
      }
      rest.remove_prefix(end + 1);
    }
    // An answer shorter than its limit has reached the end of the output, unless it says that there
    // is more. It may be a few bytes shorter because a character at the end was held back.
    constexpr size_t kCharacterBytesMax = 4;
    const bool tail = offset == 0 && call.query.front().first == "tail";
    const std::uint64_t advance = tail ? answer->body.size() : next - std::min(next, offset);
    const bool cut = !lines && !answer->gaps.empty();  // A gap ends an answer of raw bytes.
    if (next <= offset ||
        (!cut && !answer->more && advance + kCharacterBytesMax < limits::kLogReadBytesMax))
      return std::max(next, offset);
    offset = next;
    call.query = without_offset;
    std::erase_if(call.query, [](const auto& pair) { return pair.first == "tail"; });
    call.query.emplace_back("offset", std::to_string(offset));
  }
}

// Prints from `from` until the run has finished. A chunk of the stream may begin before it.
Result<> print_future(Context& context, const std::string& run, const std::string& stream,
                      std::uint64_t from, Printer& printer) {
  const auto take = [&](const SseEvent& event) -> Result<bool> {
    boost::system::error_code bad;
    const boost::json::value value = boost::json::parse(event.data, bad);
    if (bad || !value.is_object()) return true;
    object chunk = value.get_object();
    if (event.type == "run.gap") {
      if (static_cast<std::uint64_t>(number_in(object_in(chunk, "gap"), "to").value_or(0)) <= from)
        return true;
      if (auto ok = printer.print(chunk); !ok) return std::unexpected(ok.error());
      return true;
    }
    if (event.type != "run.output") return !has_ended(object_in(chunk, "data"));
    if (!stream.empty() && text_in(chunk, "stream") != stream) return true;
    const auto offset = static_cast<std::uint64_t>(number_in(chunk, "offset").value_or(0));
    if (offset < from) {
      Result<std::string> bytes = bytes_of(chunk);
      if (!bytes) return std::unexpected(bytes.error());
      if (offset + bytes->size() <= from) return true;
      chunk.erase("base64");
      chunk["text"] = bytes->substr(from - offset);
      chunk["offset"] = from;
    }
    if (auto ok = printer.print(chunk); !ok) return std::unexpected(ok.error());
    return true;
  };
  const Pairs query{{"output", "true"}, {"after", "0." + std::to_string(from)}};
  return follow(context, wire::runs::events, {.segment = run, .query = query}, take);
}

// The output of a run with a terminal contains escape codes; in a pipe, print plain text.
bool wants_plain(Context& context, const Arguments& arguments, const std::string& run) {
  if (arguments.has("plain")) return true;
  if (arguments.has("raw") || context.screen.output_is_terminal()) return false;
  const auto record = context.client.ask(wire::runs::get, {.segment = run});
  return record && text_in(*record, "stdin") == "pty";  // An error is reported later.
}

Result<int> logs(Context& context, const Arguments& arguments) {
  const std::string stream = arguments.text("stream").value_or("");
  if (!stream.empty() && stream != "stdout" && stream != "stderr") {
    return fail_invalid("stream", "invalid --stream \"" + stream + "\": use stdout or stderr");
  }
  const auto tail = arguments.text("tail");
  if (const auto lines = tail ? whole_number(*tail) : std::nullopt;
      tail && lines.value_or(-1) < 0) {
    return fail_invalid("tail", "invalid --tail \"" + clean(*tail) + "\": use a number of lines");
  }
  const bool follows = arguments.has("follow");
  const Result<std::string> run = whole_id(context, arguments.words.front());
  if (!run) return std::unexpected(run.error());
  const bool timestamps = arguments.has("timestamps");
  const bool plain = wants_plain(context, arguments, *run);
  Printer printer(context, timestamps, plain,
                  arguments.has("raw") ? CutLines::ended : CutLines::left_out);
  Call call{.segment = *run};
  if (tail) call.query.emplace_back("tail", *tail);
  if (!stream.empty()) call.query.emplace_back("stream", stream);
  printer.hold();
  const Result<std::uint64_t> end =
      print_present(context, call, context.json || timestamps, printer);
  if (!end) return std::unexpected(end.error());
  if (follows) {
    if (auto ok = printer.flush(); !ok) return std::unexpected(ok.error());
    if (auto done = print_future(context, *run, stream, *end, printer); !done) {
      return std::unexpected(done.error());
    }
  }
  if (auto done = printer.finish(); !done) return std::unexpected(done.error());
  return 0;
}

}  // namespace

const Command kLogs{
    .name = "logs",
    .words = "RUN",
    .group = Group::everyday,
    .summary = "Print the output of a run",
    .help =
        "Print the output of a run, both streams in the order in which they arrived.\n\n"
        "Lines that a command wrote to both streams at almost the same time can change places; "
        "2>&1 in the command keeps their order. If the run has a terminal and the output goes "
        "into a pipe, Drover prints plain text.",
    .examples = {{{"drover logs @last", "Print the output of the newest run."},
                  {"drover logs -f -n 20 nightly",
                   "Print the last 20 lines, then new ones as they arrive."},
                  {"drover logs --stream stderr @failed",
                   "Print only the error output of the newest failed run."}}},
    .options = kOptions,
    .words_min = 1,
    .words_max = 1,
    .run = logs,
};

}  // namespace drover::cli
