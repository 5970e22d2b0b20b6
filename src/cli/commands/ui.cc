// drover ui: prints a one-time link to the web page, and opens it on a desktop.
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "base/fd.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "wire/operations/access.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr auto kOptions = std::to_array<Option>({
    {"no-open", 0, Takes::nothing, "", "Print the link; do not open a browser"},
});

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// Every user can read a process's arguments, and the link grants full access. So the browser opens
// a private file that redirects to the link.
bool open_page(const Home& home, const std::string& link) {
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return false;
  std::string file = home.runtime + "/ui.html";
  const std::string page =
      "<!doctype html><meta charset=utf-8><title>drover</title>"
      "<meta name=referrer content=no-referrer>"
      "<meta http-equiv=refresh content=\"0; url=" +
      link + "\">\n";
  if (!replace_file(file, page)) return false;
  std::string program = "xdg-open";
  std::array<char*, 3> argv{program.data(), file.data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int fd : {0, 1, 2}) {
    ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  pid_t pid = 0;
  const int bad = ::posix_spawnp(&pid, "xdg-open", &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return bad == 0;
}

Result<int> ui(Context& context, const Arguments& arguments) {
  const Result<object> answer = context.client.ask(wire::access::open_ui, {.body = "{}"});
  if (!answer) return std::unexpected(answer.error());
  const std::string link = text_in(*answer, "link");
  const std::string text = context.json ? json_text(*answer) + "\n" : link + "\n";
  if (auto ok = context.screen.print(text); !ok) return std::unexpected(ok.error());
  if (context.json) return 0;
  const bool opened = !arguments.has("no-open") && open_page(context.home, link);
  context.screen.notice(std::string(opened ? "opened in your browser; the link" : "the link") +
                        " works once and expires in a minute");
  return 0;
}

}  // namespace

const Command kUi{
    .name = "ui",
    .words = {},
    .group = Group::access,
    .summary = "Open the web page",
    .help =
        "Open the web page in a browser, or print a link to it.\n\n"
        "The daemon then also listens on 127.0.0.1, on port 7777 or the next free one. The link "
        "logs you in; it works once, within a minute.",
    .examples = {{{"drover ui", "Open the web page."},
                  {"drover ui --no-open", "Print a link, for example over SSH."}}},
    .options = kOptions,
    .run = ui,
};

}  // namespace drover::cli
