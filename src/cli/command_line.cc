#include "cli/command_line.h"

#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/explain.h"
#include "cli/parse.h"
#include "wire/errors.h"

namespace drover::cli {
namespace {

// Why no daemon may be started; empty: it may.
std::string why_not(const Parsed& parsed) {
  if (parsed.command->daemon == Daemon::never_start) return "by this command";
  if (parsed.no_start) return "with --no-start";
  // A run's own command must not become the parent of its own keeper's daemon (S1).
  if (std::getenv("DROVER_RUN_ID") != nullptr) return "inside a run; `drover serve` outside it is";
  return "";
}

int show_help(const Parsed& parsed, std::span<const Command* const> commands, Screen& screen) {
  std::vector<const Command*> shown;
  for (const Command* command : commands) {
    if (parsed.topic.empty() || command->name.starts_with(parsed.topic + " ")) {
      shown.push_back(command);
    }
  }
  const std::string page =
      parsed.command != nullptr ? help_page(*parsed.command) : help_page(shown);
  if (parsed.help) {
    (void)screen.print(page);
    return 0;
  }
  screen.notice("which command?\n\n" + page);
  return wire::exit_code::kUsage;
}

}  // namespace

int command_line(int argc, char** argv, std::span<const Command* const> commands,
                 std::span<const PhaseView> phases) {
  Screen screen(ColorMode::automatic);
  const Result<Parsed> parsed = parse(commands, {argv + 1, argv + argc});
  if (!parsed) return explain(parsed.error(), screen, false);
  screen.set_color(parsed->color);
  if (parsed->help || parsed->command == nullptr) return show_help(*parsed, commands, screen);
  const Result<Home> home = Home::from_environment();
  if (!home) return explain(home.error(), screen, parsed->json);
  Result<config::Settings> settings = config::Settings::load(*home);
  if (settings && !parsed->arguments.has("color")) {
    const config::Value& wish = settings->get("ui.color");
    // NO_COLOR is a variable, too, and variables win over the file.
    const char* none = std::getenv("NO_COLOR");
    const bool overruled = wish.origin == config::Origin::file && none != nullptr && *none != '\0';
    if (wish.text != "auto" && !overruled) {
      screen.set_color(wish.text == "always" ? ColorMode::always : ColorMode::never);
    }
  }
  Client client({*home, why_not(*parsed), [&](std::string_view text) { screen.notice(text); }});
  Context context{
      *home,    screen, std::move(client), parsed->json, parsed->no_start, std::move(settings),
      commands, phases};
  try {
    const Result<int> code = parsed->command->run(context, parsed->arguments);
    if (code) return *code;
    return explain(parsed->json ? code.error() : in_options(code.error(), parsed->command->options),
                   screen, parsed->json);
  } catch (const std::bad_alloc&) {
    const auto error = fail_errno("there is more of it than we can hold", ENOMEM);
    return explain(error.error(), screen, parsed->json);
  }
}

}  // namespace drover::cli
