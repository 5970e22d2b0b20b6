#include "cli/service/unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/text.h"

namespace drover::cli {

namespace {

// Takes the next character of a quoted word, as unit_word writes it.
char take_character(std::string_view& rest) {
  const auto take = [&](size_t count) {
    const std::string_view taken = rest.substr(0, count);
    rest.remove_prefix(taken.size());
    return taken;
  };
  if (rest.starts_with("%%")) return take(2).front();
  if (rest.front() != '\\' || rest.size() == 1) return take(1).front();
  const char escaped = take(2).back();
  if (escaped == 'n') return '\n';
  if (escaped == 't') return '\t';
  if (escaped != 'x') return escaped;
  unsigned value = 0;
  const std::string_view digits = take(2);
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return static_cast<char>(value);
}

}  // namespace

std::string unit_word(std::string_view text) {
  std::string out = "\"";
  const bool is_text = is_utf8(text);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\t') {
      out += c == '\n' ? "\\n" : "\\t";
    } else if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !is_text)) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      if (c == '%') out += c;  // %% is one %.
      out += c;
    }
  }
  return out + "\"";
}

namespace {

// systemd refuses a program path with quotes, backslashes or control characters, even escaped. As
// an argument it accepts any path, but expands variables there: $$ is a dollar sign.
std::string exec_start(std::string_view program) {
  const bool accepted = std::ranges::none_of(program, [](unsigned char c) {
    return c < 0x20 || c == 0x7F || c == '"' || c == '\'' || c == '\\';
  });
  if (accepted) return unit_word(program);
  std::string argument;
  for (const char c : unit_word(program)) argument += c == '$' ? "$$" : std::string(1, c);
  return R"(/bin/sh -c "exec \"$$0\"" )" + argument;
}

}  // namespace

std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string unit_text(std::string_view daemon, const Variables& variables) {
  std::string out =
      "# Written by `drover service install`; `drover service remove` deletes it.\n"
      "[Unit]\n"
      "Description=Drover, which runs commands and never loses track of them\n"
      "Documentation=man:drover(1)\n"
      "\n"
      "[Service]\n"
      "Type=exec\n"
      "ExecStart=" +
      exec_start(daemon) + "\n";
  for (const auto& [name, value] : variables) {
    out += "Environment=" + unit_word(name + "=" + value) + "\n";
  }
  return out +
         "Delegate=yes\n"
         "DelegateSubgroup=daemon\n"
         "KillMode=process\n"
         "Restart=on-failure\n"
         "RestartSec=1\n"
         "\n"
         "[Install]\n"
         "WantedBy=default.target\n";
}

Variables unit_variables(std::string_view unit) {
  constexpr std::string_view kBegin = "Environment=\"";
  Variables out;
  while (!unit.empty()) {
    std::string_view line = unit.substr(0, unit.find('\n'));
    unit.remove_prefix(std::min(unit.size(), line.size() + 1));
    if (line.size() <= kBegin.size() || !line.starts_with(kBegin) || !line.ends_with('"')) continue;
    line.remove_prefix(kBegin.size());
    std::string word;
    line.remove_suffix(1);
    while (!line.empty()) word += take_character(line);
    const size_t is = std::min(word.find('='), word.size());
    out.emplace_back(word.substr(0, is), word.substr(std::min(is + 1, word.size())));
  }
  return out;
}

std::string crontab_command(std::string_view path) {
  std::string line;  // cron ends the command at an unescaped %.
  bool plain = true;
  for (const char c : path) {
    plain = plain && (std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                      std::string_view("/._-").find(c) != std::string_view::npos);
    if (c == '%') line += '\\';
    line += c;
  }
  return "(crontab -l; echo " + shell_word("@reboot " + (plain ? line : shell_word(line))) +
         ") | crontab -";
}

std::string script_text(std::string_view program, const Variables& variables) {
  std::string out =
      "#!/bin/sh\n"
      "# Starts Drover's daemon, as every drover command does. Call it from an @reboot line of\n"
      "# cron or from your login scripts. Written by `drover service install`.\n";
  for (const auto& [name, value] : variables) {
    out += "export " + name + "=" + shell_word(value) + "\n";
  }
  return out + "exec " + shell_word(program) + " status > /dev/null\n";
}

}  // namespace drover::cli
