#include "cli/help/manual.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "cli/help/help.h"
#include "cli/help/topics.h"
#include "cli/parse.h"

namespace drover::cli {
namespace {

// Escapes text for the man macros: backslashes, hyphens, and lines that begin with a dot or a
// quote.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '~') {
      out += "\\(ti";
    } else {
      out += c;
    }
  }
  return out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string head(const std::string& name, std::string_view brief) {
  return fmt::format(".TH {} 1 \"\" \"drover {}\" \"Drover\"\n.SH NAME\n{} \\- {}\n",
                     plain(upper(name)), DROVER_VERSION, plain(name), plain(brief));
}

std::string option_item(const Option& option) {
  std::string out = ".TP\n";
  if (option.letter != 0) out += fmt::format("\\fB\\-{}\\fR, ", option.letter);
  out += "\\fB\\-\\-" + plain(option.name) + "\\fR";
  if (!option.value.empty()) out += " \\fI" + plain(option.value) + "\\fR";
  return out + "\n" + plain(option.help) + "\n";
}

// A blank line starts a paragraph.
std::string paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    out += line.empty() ? ".PP\n" : plain(line) + "\n";
  }
  return out;
}

std::string paragraphs(const Topic& topic) {
  std::string out;
  for (const Section& section : topic.sections()) {
    out += ".PP\n" + paragraphs(section.text);
    for (const Row& row : section.rows) {
      out += ".TP\n" + plain(row.left) + "\n" + plain(row.right) + "\n";
    }
    if (section.commands.empty()) continue;
    out += ".PP\n.nf\n";
    for (const std::string& command : section.commands) out += "  " + plain(command) + "\n";
    out += ".fi\n";
  }
  return out;
}

std::string examples_of(const Command& command) {
  std::string out;
  for (const Example& example : command.examples) {
    if (example.line.empty()) continue;
    out += ".TP\n\\fB" + plain(example.line) + "\\fR\n" + plain(example.why) + "\n";
  }
  return out.empty() ? "" : ".SH EXAMPLES\n" + out;
}

std::string globals() {
  std::string out = ".SH OPTIONS OF EVERY COMMAND\n";
  for (const Option& option : global_options()) out += option_item(option);
  return out;
}

}  // namespace

std::string manual_name(const Command& command) {
  std::string name = "drover-" + std::string(command.name);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string manual_page(const Command& command) {
  std::string out = head(manual_name(command), command.summary);
  out += fmt::format(".SH SYNOPSIS\n\\fBdrover {}\\fR [options]", plain(command.name));
  if (!command.words.empty()) out += " " + plain(command.words);
  out += "\n.SH DESCRIPTION\n" + paragraphs(command.help);
  if (!command.alias.empty()) {
    out += fmt::format(".PP\n\\fBdrover {}\\fR is the same.\n", plain(command.alias));
  }
  if (!command.options.empty()) out += ".SH OPTIONS\n";
  for (const std::string_view group : option_groups(command)) {
    if (!group.empty()) out += fmt::format(".SS {}\n", plain(group));
    for (const Option& option : command.options) {
      if (option.group == group) out += option_item(option);
    }
  }
  if (!command.foreign_options.empty()) out += fmt::format(".SH {}\n", upper(plain(kAfterDashes)));
  for (const Option& option : command.foreign_options) out += option_item(option);
  out += globals() + examples_of(command);
  constexpr auto kRunsCommands = std::to_array<std::string_view>({"run", "wait", "attach", "play"});
  if (std::ranges::find(kRunsCommands, command.name) != kRunsCommands.end()) {
    out += ".SH EXIT STATUS\n" + paragraphs(*find_topic("exit-codes"));
  }
  return out + ".SH SEE ALSO\n\\fBdrover\\fR(1)\n";
}

std::string manual_page(std::span<const Command* const> commands) {
  std::string out = head("drover", "run commands and never lose track of them");
  out +=
      ".SH SYNOPSIS\n\\fBdrover\\fR \\fICOMMAND\\fR [options] \\[u2026]\n"
      ".SH DESCRIPTION\n"
      "Drover runs commands, records what happens to each of them, and keeps their output.\n"
      "Each run has a handle, which stays valid if the terminal, the daemon or the machine fails.\n"
      "The first command starts the daemon.\n"
      ".SH COMMANDS\n";
  for (const Group group : groups()) {
    out += fmt::format(".SS {}\n", title_of(group));
    for (const Command* command : commands) {
      if (command->hidden || command->group != group) continue;
      out += ".TP\n\\fB" + plain(command->name) + "\\fR\n" + plain(command->summary) +
             "; see \\fB" + plain(manual_name(*command)) + "\\fR(1)\n";
    }
  }
  out += globals();
  for (const Topic& topic : topics()) {
    const bool codes = topic.name == "exit-codes";
    out += ".SH " + (codes ? "EXIT STATUS" : plain(upper(std::string(topic.name)))) + "\n" +
           paragraphs(topic);
  }
  out +=
      ".SH FILES\n"
      ".TP\n$DROVER_HOME\nAll files, if this variable is set. Otherwise:\n"
      ".TP\n\\(ti/.config/drover\nThe settings.\n"
      ".TP\n\\(ti/.local/state/drover\nThe records and output of runs.\n";
  return out;
}

}  // namespace drover::cli
