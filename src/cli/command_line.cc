#include "cli/command_line.h"

#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "cli/commands/overview.h"
#include "cli/context.h"
#include "cli/explain.h"
#include "cli/help/help.h"
#include "cli/help/topics.h"
#include "cli/parse.h"
#include "cli/terminal/pager.h"
#include "wire/errors.h"

namespace drover::cli {
namespace {

// Why this command may not start a daemon. Empty: it may.
std::string why_not(const Parsed& parsed) {
  if (parsed.command == nullptr) return "by `drover` alone";
  if (parsed.command->daemon == Daemon::never_start) return "by this command";
  if (parsed.no_start) return "with --no-start";
  // A command inside a run must not become the parent of the daemon that supervises that run (S1).
  if (std::getenv("DROVER_RUN_ID") != nullptr) return "inside a run; `drover serve` outside it is";
  return "";
}

// A noun without a command is a usage error; its help page then lists the commands.
int show_help(const Parsed& parsed, std::span<const Command* const> commands, Screen& screen) {
  const size_t width = screen.text_width();
  if (!parsed.noun.empty() && !parsed.help) {
    screen.notice("`drover " + parsed.noun + "` needs a command\n\n" +
                  noun_page(parsed.noun, commands, width));
    return wire::exit_code::kUsage;
  }
  const auto printed =
      print_page(screen, parsed.command != nullptr ? help_page(*parsed.command, commands, width)
                         : parsed.topic != nullptr ? topic_page(*parsed.topic, width)
                         : parsed.noun.empty()     ? help_page(commands, width)
                                                   : noun_page(parsed.noun, commands, width));
  return printed ? 0 : explain(printed.error(), screen, false);
}

}  // namespace

int command_line(int argc, char** argv, std::span<const Command* const> commands,
                 std::span<const PhaseView> phases, std::span<const Explainer> explainers,
                 std::span<const RunSection> sections) {
  Screen screen(ColorMode::automatic);
  const Result<Parsed> parsed = parse(commands, {argv + 1, argv + argc});
  if (!parsed) return explain(parsed.error(), screen, false);
  screen.set_color(parsed->color);
  if (parsed->help || !parsed->noun.empty()) return show_help(*parsed, commands, screen);
  const Result<Home> home = Home::from_environment();
  if (!home) return explain(home.error(), screen, parsed->json);
  Result<config::Settings> settings = config::Settings::load(*home);
  if (settings && !parsed->arguments.has("color")) {
    const config::Value& wish = settings->get("ui.color");
    // NO_COLOR is an environment variable, and those take precedence over the configuration file.
    const char* none = std::getenv("NO_COLOR");
    const bool overruled = wish.origin == config::Origin::file && none != nullptr && *none != '\0';
    if (wish.text != "auto" && !overruled) {
      screen.set_color(wish.text == "always" ? ColorMode::always : ColorMode::never);
    }
  }
  Client client({*home, why_not(*parsed), [&](std::string_view text) { screen.notice(text); }});
  Context context{
      *home,    screen, std::move(client), parsed->json, parsed->no_start, std::move(settings),
      commands, phases, explainers,        sections};
  try {
    const Result<int> code = parsed->command == nullptr
                                 ? overview(context)
                                 : parsed->command->run(context, parsed->arguments);
    if (code) return *code;
    if (parsed->json) return explain(code.error(), screen, true);
    const auto options = typed_options(own_options(parsed->command), parsed->arguments);
    return explain(in_options(code.error(), options), screen, false);
  } catch (const std::bad_alloc&) {
    const auto error = fail_errno("this program has no memory for the answer", ENOMEM);
    return explain(error.error(), screen, parsed->json);
  }
}

}  // namespace drover::cli
