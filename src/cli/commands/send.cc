// drover send: writes to a run's standard input.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <boost/json/object.hpp>
#include <cerrno>

#include "base/limits.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/input.h"
#include "cli/which_run.h"

namespace drover::cli {
namespace {

constexpr auto kOptions = std::to_array<Option>({
    {"eof", 0, Takes::nothing, "", "Close the run's standard input afterwards"},
    {"no-newline", 'n', Takes::nothing, "", "Do not add a newline to the text"},
});

// Sends all bytes, however slowly the run reads.
Result<> send_all(Context& context, const std::string& run, std::string_view bytes) {
  while (!bytes.empty()) {
    const Result<size_t> took = offer_input(context.client, run, bytes);
    if (!took) return std::unexpected(took.error());
    bytes.remove_prefix(*took);
    if (!bytes.empty()) ::poll(nullptr, 0, static_cast<int>(limits::kInputPauseMs));
  }
  return {};
}

Result<size_t> send_input(Context& context, const std::string& run) {
  std::array<char, limits::kLogChunkBytes> buffer;
  for (size_t total = 0;;) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got == 0) return total;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("cannot read standard input", errno);
    const std::string_view bytes(buffer.data(), static_cast<size_t>(got));
    if (auto sent = send_all(context, run, bytes); !sent) return std::unexpected(sent.error());
    total += bytes.size();
  }
}

Result<size_t> send_words(Context& context, const std::string& run, const Arguments& arguments) {
  std::string text;
  for (size_t i = 1; i < arguments.words.size(); ++i) {
    text += (i > 1 ? " " : "") + arguments.words[i];
  }
  if (!arguments.has("no-newline")) text += '\n';
  if (auto sent = send_all(context, run, text); !sent) {
    return std::unexpected(sent.error());
  }
  return text.size();
}

Result<int> send(Context& context, const Arguments& arguments) {
  const Result<std::string> run = whole_id(context, arguments.words.front());
  if (!run) return std::unexpected(run.error());
  const bool eof = arguments.has("eof");
  // `send RUN --eof` only closes the input, unless something is piped in.
  const bool words = arguments.words.size() > 1;
  const bool only_close = !words && eof && ::isatty(STDIN_FILENO) == 1;
  Result<size_t> sent = 0U;
  if (words) {
    sent = send_words(context, *run, arguments);
  } else if (!only_close) {
    sent = send_input(context, *run);
  }
  if (!sent) return std::unexpected(sent.error());
  if (eof) {
    if (auto closed = close_input(context.client, *run); !closed) {
      return std::unexpected(closed.error());
    }
  }
  if (!context.json) return 0;
  const boost::json::object out{{"run_id", *run}, {"accepted", *sent}, {"eof", eof}};
  if (auto ok = context.screen.print(json_text(out) + "\n"); !ok) {
    return std::unexpected(ok.error());
  }
  return 0;
}

}  // namespace

const Command kSend{
    .name = "send",
    .words = "RUN [TEXT…]",
    .group = Group::everyday,
    .summary = "Send input to a run",
    .help =
        "Send a line of text, or all of standard input, to a run.\n\n"
        "The run must have been started with --stdin or --pty.",
    .examples = {{{"drover send @last yes", "Send the line \"yes\" to the newest run."},
                  {"drover send --eof importer < data.csv",
                   "Send a file, then close the run's standard input."}}},
    .options = kOptions,
    .words_min = 1,
    .words_max = kAnyNumber,
    .run = send,
    .runs = Runs::active,
};

}  // namespace drover::cli
