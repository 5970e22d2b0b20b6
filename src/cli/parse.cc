#include "cli/parse.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "cli/help/suggestions.h"
#include "cli/help/topics.h"
#include "cli/views/table.h"

namespace drover::cli {
namespace {

constexpr auto kGlobal = std::to_array<Option>({
    {"json", 0, Takes::nothing, "", "Print data as JSON"},
    {"no-start", 0, Takes::nothing, "", "Fail if no daemon is running; do not start one"},
    {"color", 0, Takes::text, "WHEN", "Use colors: auto, always or never"},
    {"help", 'h', Takes::nothing, "", "Show help and exit"},
});

// Options of `drover` alone.
constexpr auto kAlone = std::to_array<Option>({
    {"version", 'V', Takes::nothing, "", "Print the version and exit"},
});
const Command kBare{.name = {}, .words = {}, .help = {}, .options = kAlone, .run = nullptr};

// How many tokens belong to Drover: those before the first word, or before "--".
size_t own_tokens(const Command* command, std::span<const std::string> tokens) {
  size_t i = 0;
  while (i < tokens.size() && tokens[i].size() > 1 && tokens[i].front() == '-' &&
         tokens[i] != "--") {
    const Option* option = find_option(command, tokens[i]);
    const bool attached = tokens[i].starts_with("--") ? tokens[i].find('=') != std::string::npos
                                                      : tokens[i].size() > 2;
    i += option != nullptr && option->takes != Takes::nothing && !attached ? 2 : 1;
  }
  return std::min(i, tokens.size());
}

std::unexpected<Error> usage(const std::string& message, const Command* command,
                             const std::string& suggestion = "") {
  const bool named = command != nullptr && !command->name.empty();
  const std::string page = "`drover " + (named ? std::string(command->name) + " " : "") + "--help`";
  const bool asks = suggestion.ends_with('?');
  return fail(ErrorCode::invalid, "usage",
              message + "; " + suggestion +
                  (suggestion.empty() ? "see "
                   : asks             ? " See "
                                      : "; see ") +
                  page);
}

// Checks one option token before the parsing library does, so that the error messages are ours. In
// a cluster of letters (-fn5), checks each letter up to the first that takes the rest as its value.
// Returns whether the value is the next token; `is_last`: none can follow.
Result<bool> check_token(const Command& command, const std::string& token, bool is_last) {
  const bool is_long = token.starts_with("--");
  const size_t equals = token.find('=');
  for (size_t i = 1; i < (is_long ? 2 : token.size()); ++i) {
    const std::string one = is_long ? token.substr(0, equals) : std::string("-") + token[i];
    const Option* option = find_option(&command, one);
    if (option == nullptr) {
      return usage("unknown option " + one, &command, suggest_option(&command, one));
    }
    const bool attached = is_long ? equals != std::string::npos : i + 1 < token.size();
    if (option->takes == Takes::nothing) {
      if (is_long && attached) return usage(one + " does not take a value", &command);
      continue;
    }
    if (!attached && is_last) {
      return usage(one + " needs a value: " + std::string(option->value), &command);
    }
    return !attached;
  }
  return false;
}

Result<> check_tokens(const Command& command, std::span<const std::string> tokens) {
  for (size_t i = 0; i < tokens.size() && tokens[i] != "--"; ++i) {
    const std::string& token = tokens[i];
    const bool is_number = token.size() > 1 && token[1] >= '0' && token[1] <= '9' &&
                           find_option(&command, token) == nullptr;
    if (token.size() < 2 || token.front() != '-' || is_number) continue;
    const bool is_last = i + 1 == tokens.size() || tokens[i + 1] == "--";
    const Result<bool> takes_next = check_token(command, token, is_last);
    if (!takes_next) return std::unexpected(takes_next.error());
    if (*takes_next) ++i;
  }
  return {};
}

void describe(CLI::App& app, std::span<const Option> options,
              std::map<std::string_view, std::vector<std::string>>& values) {
  for (const Option& option : options) {
    std::string names = "--" + std::string(option.name);
    if (option.letter != 0) names = std::string("-") + option.letter + "," + names;
    if (option.takes == Takes::nothing) {
      app.add_flag(names);
    } else {
      app.add_option(names, values[option.name])
          ->type_size(1)
          ->expected(1)
          ->take_all()
          ->allow_extra_args(false);
    }
  }
}

Result<Arguments> read_arguments(const Command& command, const std::vector<std::string>& tokens) {
  if (auto ok = check_tokens(command, tokens); !ok) return std::unexpected(ok.error());
  CLI::App app;
  app.set_help_flag("");
  std::map<std::string_view, std::vector<std::string>> values;
  describe(app, command.options, values);
  describe(app, kGlobal, values);
  Arguments out;
  app.add_option("words", out.words)->expected(-1);
  try {
    app.parse(std::vector<std::string>(tokens.rbegin(), tokens.rend()));
  } catch (const CLI::ParseError& error) {
    std::string what = error.what();
    std::erase(what, '\n');
    return usage(what, &command);
  }
  for (const std::span<const Option> list : {command.options, std::span<const Option>(kGlobal)}) {
    for (const Option& option : list) {
      if (app.count("--" + std::string(option.name)) > 0) {
        out.options[std::string(option.name)] = values[option.name];
      }
    }
  }
  return out;
}

Result<ColorMode> read_color(const std::optional<std::string>& text) {
  if (!text || *text == "auto") return ColorMode::automatic;
  if (*text == "always") return ColorMode::always;
  if (*text == "never") return ColorMode::never;
  return fail_invalid("color", "invalid --color " + *text + ": use auto, always or never");
}

}  // namespace

std::span<const Option> global_options() {
  return kGlobal;
}

std::span<const Option> own_options(const Command* command) {
  return command == nullptr ? kBare.options : command->options;
}

const Option* find_option(const Command* command, std::string_view token) {
  const auto matches = [&](const Option& option) {
    if (!token.starts_with("--")) return option.letter != 0 && token[1] == option.letter;
    return token.substr(2, token.find('=') - 2) == option.name;
  };
  for (const std::span<const Option> list :
       {own_options(command), std::span<const Option>(kGlobal)}) {
    const auto found = std::ranges::find_if(list, matches);
    if (found != list.end()) return &*found;
  }
  return nullptr;
}

std::pair<const Command*, size_t> find_command(std::span<const Command* const> commands,
                                               std::span<const std::string> words) {
  for (size_t count = std::min<size_t>(2, words.size()); count > 0; --count) {
    const std::string name = count == 2 ? words[0] + " " + words[1] : words[0];
    for (const Command* command : commands) {
      if (command->name == name || (!command->alias.empty() && command->alias == name)) {
        return {command, count};
      }
    }
  }
  return {nullptr, 0};
}

namespace {

// Parses words that do not begin with a command: a noun, a topic, `drover` alone, or an error.
Result<Parsed> parse_rest(std::span<const Command* const> commands,
                          std::span<const std::string> words, bool asks_help,
                          const std::vector<std::string>& tokens) {
  const auto is_help = [](const std::string& token) { return token == "--help" || token == "-h"; };
  Parsed out;
  out.help =
      asks_help || std::ranges::any_of(tokens, is_help) || std::ranges::any_of(words, is_help);
  if (words.empty()) {
    const Result<Arguments> arguments = read_arguments(kBare, tokens);
    if (!arguments) return std::unexpected(arguments.error());
    out.arguments = *arguments;
    out.json = arguments->has("json");
    const Result<ColorMode> color = read_color(arguments->text("color"));
    if (!color) return std::unexpected(color.error());
    out.color = *color;
    const std::vector<std::string> version{"version"};
    if (arguments->has("version")) out.command = find_command(commands, version).first;
    return out;
  }
  const bool noun = std::ranges::any_of(commands, [&](const Command* command) {
    return command->name.starts_with(words.front() + " ");
  });
  if (words.front() == "--" && words.size() > 1) {
    return usage("`drover --` is not a command", nullptr,
                 "did you mean `drover run -- " + clean(words[1]) + "`?");
  }
  if (noun && words.size() > 1 && !words[1].starts_with('-')) {
    const std::string name = words[0] + " " + words[1];
    return fail(
        ErrorCode::invalid, "usage",
        "unknown command `" + name + "`; " + suggest_subcommand(commands, words[0], words[1]));
  }
  if (noun) {
    out.noun = words.front();
    return out;
  }
  if (asks_help) {
    out.topic = find_topic(words.front());
    if (out.topic != nullptr) return out;
    return usage("unknown command or topic `" + words.front() + "`", nullptr,
                 suggest_topic(commands, words.front()));
  }
  return usage("unknown command `" + words.front() + "`", nullptr,
               suggest_command(commands, words.front()));
}

}  // namespace

Result<Parsed> parse(std::span<const Command* const> commands,
                     const std::vector<std::string>& typed) {
  const std::span<const std::string> all(typed);
  const size_t leading = own_tokens(nullptr, all);
  std::span<const std::string> words = all.subspan(leading);
  std::vector<std::string> tokens(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(leading));
  const bool asks = !words.empty() && words.front() == "help";  // `drover help run`.
  while (!words.empty() && words.front() == "help") words = words.subspan(1);
  const auto [command, named] = find_command(commands, words);
  if (command == nullptr) return parse_rest(commands, words, asks, tokens);
  Parsed out;
  out.command = command;
  const std::span<const std::string> rest = words.subspan(named);
  const size_t own = command->foreign_words ? own_tokens(command, rest) : rest.size();
  tokens.insert(tokens.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(own));
  Result<Arguments> arguments = read_arguments(*command, tokens);
  if (!arguments) return std::unexpected(arguments.error());
  out.arguments = std::move(*arguments);
  for (const std::string& word : rest.subspan(own)) {
    const bool marker = out.arguments.words.empty() && word == "--" && &word == &rest[own];
    if (!marker) out.arguments.words.push_back(word);
  }
  if (const auto dashes = std::ranges::find(tokens, "--"); dashes != tokens.end()) {
    const size_t after = static_cast<size_t>(tokens.end() - dashes) - 1;
    out.arguments.words_before_dashes =
        out.arguments.words.size() - std::min(after, out.arguments.words.size());
  }
  if (asks && !rest.empty() && !rest.front().starts_with('-')) {
    return usage("unknown command `" + std::string(command->name) + " " + clean(rest.front()) + "`",
                 command);
  }
  out.help = asks || out.arguments.has("help");
  out.json = out.arguments.has("json");
  out.no_start = out.arguments.has("no-start");
  const Result<ColorMode> color = read_color(out.arguments.text("color"));
  if (!color) return std::unexpected(color.error());
  out.color = *color;
  const size_t count = out.arguments.words.size();
  if (!out.help && (count < command->words_min || count > command->words_max)) {
    return usage("`drover " + std::string(command->name) + "` takes " +
                     (command->words.empty() ? "no arguments" : std::string(command->words)),
                 command, suggest_words(*command));
  }
  return out;
}

}  // namespace drover::cli
