#include "cli/service/unit.h"

#include <algorithm>

namespace drover::cli {

std::string unit_word(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '%' || c == '$') out += c;  // Doubled it stands for itself.
    out += c;
  }
  return out + "\"";
}

std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string unit_text(std::string_view daemon, const Variables& variables) {
  std::string out =
      "# Written by `drover service install`; `drover service remove` takes it away.\n"
      "[Unit]\n"
      "Description=Drover, which runs commands and never loses track of them\n"
      "Documentation=man:drover(1)\n"
      "\n"
      "[Service]\n"
      "Type=exec\n"
      "ExecStart=" +
      unit_word(daemon) + "\n";
  for (const auto& [name, value] : variables) {
    // A variable is quoted as a whole, and $ is no specifier there.
    std::string variable = unit_word(name + "=" + value);
    for (size_t at = 0; (at = variable.find("$$", at)) != std::string::npos; ++at) {
      variable.erase(at, 1);
    }
    out += "Environment=" + variable + "\n";
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
    for (size_t at = 0; at + 1 < line.size(); ++at) {
      if (line[at] == '\\' || line.substr(at).starts_with("%%")) ++at;
      word += line[at];
    }
    const size_t is = std::min(word.find('='), word.size());
    out.emplace_back(word.substr(0, is), word.substr(std::min(is + 1, word.size())));
  }
  return out;
}

std::string script_text(std::string_view program, const Variables& variables) {
  std::string out =
      "#!/bin/sh\n"
      "# Starts Drover's daemon, which any drover command does, too: for @reboot of cron, or for\n"
      "# whatever starts things when you log in. Written by `drover service install`.\n";
  for (const auto& [name, value] : variables) {
    out += "export " + name + "=" + shell_word(value) + "\n";
  }
  return out + "exec " + shell_word(program) + " status > /dev/null\n";
}

}  // namespace drover::cli
