// drover logs: prints the output of a run, in the order in which it was written.
#include <array>
#include <boost/json/parse.hpp>
#include <charconv>
#include <map>

#include "base/limits.h"
#include "base/plain_text.h"
#include "cli/client/follow.h"
#include "cli/commands/commands.h"
#include "cli/fields.h"
#include "cli/views/output.h"
#include "cli/views/run_view.h"
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

std::uint64_t number(std::string_view text) {
  std::uint64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// Prints chunks of output: as bytes, as JSON lines, or as lines with timestamps.
class Printer {
 public:
  Printer(Context& context, bool timestamps, bool plain)
      : context_(context), timestamps_(timestamps), plain_(plain) {}

  Result<> print(const object& chunk) {
    if (context_.json) return context_.screen.print(json_text(chunk) + "\n");
    const Result<std::string> bytes = bytes_of(chunk);
    if (!bytes) return std::unexpected(bytes.error());
    if (!timestamps_) return print(*bytes);
    const std::string text = plain_ ? text_.pass(*bytes) : *bytes;
    return context_.screen.print(with_times(text, chunk));
  }
  Result<> print(std::string_view bytes) {
    return context_.screen.print(plain_ ? text_.pass(bytes) : bytes);
  }
  Result<> finish() { return context_.screen.print(text_.finish()); }

 private:
  std::string with_times(std::string_view bytes, const object& chunk) {
    const auto time = parse_rfc3339(text_in(chunk, "time"));
    const std::string stamp = (time ? say_local(*time, true) : "-") + " ";
    std::string out;
    bool& within = within_line_[text_in(chunk, "stream")];
    while (!bytes.empty()) {
      if (!within) out += stamp;
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
  PlainText text_;
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
    const Result<Answer> answer = context.client.call(wire::runs::logs, call);
    if (!answer) return std::unexpected(answer.error());
    std::string_view rest = answer->body;
    if (!lines) {
      if (auto ok = printer.print(rest); !ok) return std::unexpected(ok.error());
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
    // An answer shorter than its limit has reached the end of the output. It may be a few bytes
    // shorter because a character at the end was held back.
    constexpr size_t kCharacterBytesMax = 4;
    const std::uint64_t next = number(answer->next_offset);
    const bool tail = offset == 0 && call.query.front().first == "tail";
    const std::uint64_t advance = tail ? answer->body.size() : next - std::min(next, offset);
    if (next <= offset || advance + kCharacterBytesMax < limits::kLogReadBytesMax)
      return std::max(next, offset);
    offset = next;
    call.query = without_offset;
    std::erase_if(call.query, [](const auto& pair) { return pair.first == "tail"; });
    call.query.emplace_back("offset", std::to_string(offset));
  }
}

// Prints from `from` until the run has finished. The daemon's stream starts at the beginning of the
// output; the part before `from` is skipped.
Result<> print_future(Context& context, const std::string& run, const std::string& stream,
                      std::uint64_t from, Printer& printer) {
  const auto take = [&](const SseEvent& event) -> Result<bool> {
    boost::system::error_code bad;
    const boost::json::value value = boost::json::parse(event.data, bad);
    if (bad || !value.is_object()) return true;
    object chunk = value.get_object();
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
  return follow(context, wire::runs::events, {.segment = run, .query = {{"output", "true"}}}, take);
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
  const bool follows = arguments.has("follow");
  const Result<std::string> run = whole_id(context, arguments.words.front());
  if (!run) return std::unexpected(run.error());
  const auto tail = arguments.text("tail");
  Printer printer(context, arguments.has("timestamps"), wants_plain(context, arguments, *run));
  std::uint64_t from = 0;
  if (!follows || tail) {
    Call call{.segment = *run};
    if (tail) call.query.emplace_back("tail", *tail);
    if (!stream.empty()) call.query.emplace_back("stream", stream);
    const bool lines = context.json || arguments.has("timestamps");
    const Result<std::uint64_t> end = print_present(context, call, lines, printer);
    if (!end) return std::unexpected(end.error());
    from = *end;
  }
  if (follows) {
    if (auto done = print_future(context, *run, stream, from, printer); !done) {
      return std::unexpected(done.error());
    }
  }
  if (auto done = printer.finish(); !done) return std::unexpected(done.error());
  if (const auto record = context.client.ask(wire::runs::get, {.segment = *run}); record) {
    const std::string missing = missing_output(*record);
    if (!missing.empty()) context.screen.notice(missing);
  }
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
