// drover memory ls, show, write, log: texts that runs of apps keep for the next run.
#include <unistd.h>

#include "base/limits.h"
#include "base/read_to_end.h"
#include "cli/commands/inbox/commands.h"
#include "cli/context.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "cli/views/columns.h"
#include "cli/views/table.h"
#include "cli/views/words.h"
#include "wire/inbox/memory_operations.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kShowOptions = std::to_array<Option>({
    {"version", 0, Takes::text, "VERSION", "Print this version of the history", "version"},
});
constexpr auto kWriteOptions = std::to_array<Option>({
    {"text", 0, Takes::text, "TEXT",
     "The new text, or '' to erase it; without it, the standard input", "text"},
    {"revision", 0, Takes::text, "REVISION",
     "Fail with 6 if the memory has changed since this revision was read", "revision"},
});

Result<int> print(Context& context, const std::string& text) {
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  return 0;
}

Result<int> list(Context& context, const Arguments&) {
  const auto answer = context.client.ask(wire::memory::list, {});
  if (!answer) return std::unexpected(answer.error());
  if (context.json) return print(context, json_text(*answer) + "\n");
  std::string out;
  for (const boost::json::value& name : array_in(*answer, "memories")) {
    if (name.is_string()) out += clean(std::string_view(name.get_string())) + "\n";
  }
  if (out.empty()) context.screen.notice("all memories are empty");
  return out.empty() ? Result<int>(0) : print(context, out);
}

Result<int> show(Context& context, const Arguments& arguments) {
  Call call{.segment = arguments.words[0]};
  if (const auto version = arguments.text("version")) call.query = {{"version", *version}};
  const auto answer = context.client.ask(wire::memory::get, call);
  if (!answer) return std::unexpected(answer.error());
  if (context.json) return print(context, json_text(*answer) + "\n");
  const std::string text = text_in(*answer, "text");
  return text.empty() ? Result<int>(0) : print(context, text);
}

Result<int> write(Context& context, const Arguments& arguments) {
  object body;
  if (const auto text = arguments.text("text")) {
    body["text"] = *text;
  } else {
    if (::isatty(STDIN_FILENO) == 1) {
      context.screen.notice("type the new text; Ctrl-D ends it, Ctrl-C keeps the old one");
    }
    auto input = read_to_end(STDIN_FILENO, "the standard input", limits::kBodyBytesMax);
    if (!input) return std::unexpected(input.error());
    if (input->empty()) {
      return fail_invalid("text",
                          "the standard input is empty, and the memory stays as it is; to erase "
                          "it: drover memory write " +
                              clean(arguments.words[0]) + " --text ''");
    }
    body["text"] = *input;
  }
  if (auto ok = check_text(body["text"].get_string(), "text"); !ok) {
    return std::unexpected(ok.error());
  }
  if (const auto revision = arguments.text("revision")) body["revision"] = *revision;
  const auto answer = context.client.ask(wire::memory::put,
                                         {.segment = arguments.words[0], .body = json_text(body)});
  if (!answer) return std::unexpected(answer.error());
  if (context.json) return print(context, json_text(*answer) + "\n");
  const auto size = static_cast<std::int64_t>(text_in(*answer, "text").size());
  return print(context,
               "memory " + clean(arguments.words[0]) + " changed, " + say_bytes(size) + "\n");
}

Result<int> log(Context& context, const Arguments& arguments) {
  const auto answer = context.client.ask(wire::memory::log, {.segment = arguments.words[0]});
  if (!answer) return std::unexpected(answer.error());
  if (context.json) return print(context, json_text(*answer) + "\n");
  Table table({"VERSION", "REPLACED", "SIZE"}, 0);
  for (const boost::json::value& value : array_in(*answer, "versions")) {
    if (!value.is_object()) continue;
    const object& version = value.get_object();
    const auto at = parse_rfc3339(text_in(version, "replaced_at"));
    table.add({{clean(text_in(version, "version"))},
               {at ? say_local(*at) : ""},
               {say_bytes(number_in(version, "bytes").value_or(0))}});
  }
  if (table.empty()) {
    context.screen.notice("memory " + clean(arguments.words[0]) + " has no older versions");
    return 0;
  }
  return print(context, table.text(context.screen));
}

}  // namespace

const Command kMemoryLs{
    .name = "memory ls",
    .words = "",
    .group = Group::automation,
    .summary = "List memories",
    .help = "List the memories that are not empty: user, space/NAME and app/NAME.",
    .noun_summary = "Read and change the memories of apps",
    .examples = {{{"drover memory ls", "List all memories."},
                  {"drover memory ls --json", "The same for programs."}}},
    .options = {},
    .run = list,
};

const Command kMemoryShow{
    .name = "memory show",
    .words = "MEMORY",
    .group = Group::automation,
    .summary = "Print a memory",
    .help =
        "Print the text of a memory.\n\nA memory that was never written is empty.\n\n"
        "Memories are Markdown files in the directory memory of the state directory; any editor "
        "can change them.",
    .examples = {{{"drover memory show app/tidy", "Print the memory of the app tidy."},
                  {"drover memory show user --json", "Print it with its revision."}}},
    .options = kShowOptions,
    .words_min = 1,
    .words_max = 1,
    .run = show,
};

const Command kMemoryWrite{
    .name = "memory write",
    .words = "MEMORY",
    .group = Group::automation,
    .summary = "Change a memory",
    .help =
        "Replace the text of a memory.\n\nThe old text is kept in the history.\n\n"
        "With --revision, the exit code is 6 if the memory has changed since it was read, for "
        "example in an editor.",
    .examples = {{{"drover memory write user --text \"Answer in German.\"",
                   "Replace the memory of the user."},
                  {"drover memory write app/tidy < notes.md", "Replace a memory by a file."}}},
    .options = kWriteOptions,
    .words_min = 1,
    .words_max = 1,
    .run = write,
};

const Command kMemoryLog{
    .name = "memory log",
    .words = "MEMORY",
    .group = Group::automation,
    .summary = "List the old versions of a memory",
    .help = "List the texts that were replaced, newest first.\n\nThe newest 50 are kept.",
    .examples = {{{"drover memory log app/tidy", "List the versions of a memory."},
                  {"drover memory log user --json", "The same for programs."}}},
    .options = {},
    .words_min = 1,
    .words_max = 1,
    .run = log,
};

}  // namespace drover::cli
