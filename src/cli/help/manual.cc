#include "cli/help/manual.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "cli/parse.h"

namespace drover::cli {
namespace {

// Text that the macros cannot mistake for their own: no escape, no hyphen that could be broken at,
// no line that begins with a dot or a quote.
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

std::string_view brief_of(const Command& command) {
  return command.help.substr(0, command.help.find_first_of(".\n"));
}

std::string option_item(const Option& option) {
  std::string out = ".TP\n";
  if (option.letter != 0) out += fmt::format("\\fB\\-{}\\fR, ", option.letter);
  out += "\\fB\\-\\-" + plain(option.name) + "\\fR";
  if (!option.value.empty()) out += " \\fI" + plain(option.value) + "\\fR";
  return out + "\n" + plain(option.help) + "\n";
}

// The lines of a help text stand as they are: a blank or an indented one makes a paragraph.
std::string paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.empty()) {
      out += ".PP\n";
    } else if (line.front() == ' ') {
      out += ".br\n" + plain(line.substr(line.find_first_not_of(' '))) + "\n";
    } else {
      out += plain(line) + "\n";
    }
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return out;
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
  std::string out = head(manual_name(command), brief_of(command));
  out += fmt::format(".SH SYNOPSIS\n\\fBdrover {}\\fR [options]", plain(command.name));
  if (!command.words.empty()) out += " " + plain(command.words);
  out += "\n.SH DESCRIPTION\n" + paragraphs(command.help);
  if (!command.alias.empty()) {
    out += fmt::format(".PP\n\\fBdrover {}\\fR is the same.\n", plain(command.alias));
  }
  if (!command.options.empty()) out += ".SH OPTIONS\n";
  for (const Option& option : command.options) out += option_item(option);
  out += globals();
  if (command.name == "run" || command.name == "wait") {
    out += ".SH EXIT STATUS\n" + paragraphs(exit_codes());
  }
  return out + ".SH SEE ALSO\n\\fBdrover\\fR(1)\n";
}

std::string manual_page(std::span<const Command* const> commands) {
  std::string out = head("drover", "run commands and never lose track of them");
  out +=
      ".SH SYNOPSIS\n\\fBdrover\\fR \\fICOMMAND\\fR [options] \\[u2026]\n"
      ".SH DESCRIPTION\n"
      "A command goes in, a handle comes out, and whatever dies in between, the handle tells the\n"
      "truth. A run is named by its id, a unique beginning of it, its name if no other has it, "
      "@last\n"
      "(the newest), or @failed (the newest that failed). The daemon starts with the first "
      "command.\n"
      ".SH COMMANDS\n";
  for (const Command* command : commands) {
    if (command->hidden) continue;
    out += ".TP\n\\fB" + plain(command->name) + "\\fR\n" + plain(brief_of(*command)) +
           "; see \\fB" + plain(manual_name(*command)) + "\\fR(1)\n";
  }
  out += globals() + ".SH EXIT STATUS\n" + paragraphs(exit_codes());
  out +=
      ".SH FILES\n"
      ".TP\n$DROVER_HOME\nEverything, if it is set. Otherwise:\n"
      ".TP\n\\(ti/.config/drover\nsettings\n"
      ".TP\n\\(ti/.local/state/drover\nrecords and output\n";
  return out;
}

}  // namespace drover::cli
