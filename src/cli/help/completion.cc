#include "cli/help/completion.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "cli/help/topics.h"
#include "cli/parse.h"
#include "cli/views/words.h"
#include "config/settings.h"
#include "wire/run_state.h"

namespace drover::cli {
namespace {

// Values of a closed list, by their placeholder in the help. A placeholder such as "keep|end" lists
// its own values.
constexpr auto kChoices = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"WHEN", "auto|always|never"},
    {"SHELL", "bash|zsh|fish"},
});

std::vector<std::string> split(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

// The name of the n-th word in "RUN [TEXT…]"; a last word with … repeats.
std::string word_name(std::string_view words, size_t n) {
  const std::vector<std::string> names = split(words);
  if (names.empty()) return "";
  const bool continues = names.back().find("…") != std::string::npos;
  if (n >= names.size() && !continues) return "";
  std::string name = names[std::min(n, names.size() - 1)];
  name.erase(std::ranges::remove_if(name, [](char c) { return c == '[' || c == ']'; }).begin(),
             name.end());
  return name.substr(0, name.find("…"));
}

bool takes_next(const Option* option, std::string_view token) {
  if (option == nullptr || option->takes == Takes::nothing) return false;
  return token.starts_with("--") ? token.find('=') == std::string_view::npos : token.size() == 2;
}

}  // namespace

CompletionRequest what_is_wanted(std::span<const Command* const> commands,
                                 std::span<const std::string> words) {
  CompletionRequest out;
  out.typed = words.empty() ? "" : words.back();
  const Option* pending = nullptr;
  bool ours = true;  // Before "--" and the words of another program.
  size_t count = 0;
  std::vector<std::string> names;
  for (const std::string& word : words.first(words.empty() ? 0 : words.size() - 1)) {
    if (pending != nullptr) {
      pending = nullptr;
    } else if (ours && word == "--") {
      ours = false;
    } else if (ours && word.size() > 1 && word.front() == '-') {
      const Option* option = find_option(out.command, word);
      if (takes_next(option, word)) pending = option;
    } else if (out.command == nullptr) {
      if (names.empty() && word == "help") {
        out.asks_help = true;
        continue;
      }
      names.push_back(word);
      out.command = find_command(commands, names).first;
    } else if (names.push_back(word); find_command(commands, names).second > names.size() - 1) {
      out.command = find_command(commands, names).first;  // One name may begin another.
    } else {
      ++count;
      if (out.command->foreign_words) ours = false;
    }
  }
  if (pending != nullptr) {
    out.what = pending->value;
  } else if (ours && out.typed.starts_with("--") && out.typed.find('=') != std::string::npos) {
    const Option* option = find_option(out.command, out.typed);
    out.what = option == nullptr ? "" : option->value;
    out.before = out.typed.substr(0, out.typed.find('=') + 1);
    out.typed = out.typed.substr(out.before.size());
  } else if (ours && out.typed.starts_with('-')) {
    out.what = "OPTION";
  } else if (out.command == nullptr) {
    out.what = "COMMAND";
    if (!names.empty()) out.group = names.front();
  } else if (out.command->foreign_words) {
    out.what = count == 0 ? "PROGRAM" : "ARGUMENT";
  } else {
    out.what = word_name(out.command->words, count);
    if (count == 0) out.group = out.command->name;
  }
  return out;
}

std::vector<Candidate> candidates(std::span<const Command* const> commands,
                                  const CompletionRequest& wanted) {
  // A value after the = is most often a path.
  if (wanted.what == "K=V" && wanted.typed.find('=') != std::string::npos) return {{":files", ""}};
  if (wanted.what == "FILE" || wanted.what == "ARGUMENT") return {{":files", ""}};
  if (wanted.what == "DIR") return {{":directories", ""}};
  if (wanted.what == "PROGRAM") return {{":programs", ""}};
  std::vector<Candidate> out;
  const auto offer = [&](const std::string& text, std::string_view help) {
    if (!text.starts_with(wanted.typed)) return;
    out.push_back({wanted.before + text, std::string(help.substr(0, help.find_first_of(".\n")))});
  };
  if (wanted.what == "COMMAND" || !wanted.group.empty()) {
    std::set<std::string> seen;
    const std::string group = wanted.group.empty() ? "" : wanted.group + " ";
    for (const Command* command : commands) {
      if (command->hidden || !command->name.starts_with(group)) continue;
      const std::string_view rest = command->name.substr(group.size());
      const std::string first(rest.substr(0, rest.find(' ')));
      if (!seen.insert(first).second) continue;
      const bool noun = first.size() < rest.size() && !command->noun_summary.empty();
      offer(first, noun ? command->noun_summary : command->summary);
    }
  }
  if (wanted.what == "COMMAND" && wanted.asks_help && wanted.group.empty()) {
    for (const Topic& topic : topics()) offer(std::string(topic.name), topic.summary);
  }
  if (wanted.what == "OPTION") {
    for (const std::span<const Option> list : {own_options(wanted.command), global_options()}) {
      for (const Option& option : list) offer("--" + std::string(option.name), option.help);
    }
  }
  if (wanted.what == "STATE") {
    for (const std::string_view state : wire::kRunStateNames) offer(std::string(state), "");
  }
  if (wanted.what == "SIGNAL") {
    for (int number = 1; number < 32; ++number) offer(say_signal(number), "");
  }
  if (wanted.what == "SETTING") {
    for (const config::Setting& setting : config::kSettings) {
      offer(std::string(setting.name), setting.help);
    }
  }
  std::string choices = wanted.what.find('|') == std::string::npos ? "" : wanted.what;
  for (const auto& [name, list] : kChoices) {
    if (wanted.what == name) choices = list;
  }
  std::ranges::replace(choices, '|', ' ');
  for (const std::string& choice : split(choices)) offer(choice, "");
  return out;
}

}  // namespace drover::cli
