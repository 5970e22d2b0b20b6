#include "cli/documents_fixture.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

namespace drover::cli {
namespace {

class Splitter {
 public:
  explicit Splitter(std::string_view script) : script_(script) {}

  std::vector<Words> split() {
    read_list();
    return std::move(commands_);
  }

 private:
  bool done() const { return at_ >= script_.size(); }
  bool next_is(std::string_view text) const { return script_.substr(at_).starts_with(text); }

  // Reads to the end of the text, or to the `)` that ends a substitution.
  void read_list() {
    Words words;
    const auto finish = [&] {
      if (!words.empty()) commands_.push_back(std::exchange(words, {}));
    };
    while (!done() && script_[at_] != ')') {
      const char c = script_[at_];
      if (c == '#') {
        at_ = std::min(script_.find('\n', at_), script_.size());
      } else if (next_is("\\\n")) {
        at_ += 2;
      } else if (c == '\n' || c == ';' || c == '|' || c == '&' || c == '(') {
        finish();
        ++at_;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at_;
      } else if (const std::string word = read_word(); is_redirection(word)) {
        skip_target();
      } else {
        words.push_back(word);
      }
    }
    finish();
    ++at_;
  }

  static bool is_redirection(std::string_view word) {
    word.remove_prefix(std::min(word.find_first_not_of("0123456789"), word.size()));
    return word == ">" || word == "<";
  }

  // Skips the target of a redirection, after `>`: another `>`, `&1`, or a file.
  void skip_target() {
    while (!done()) {
      const bool continues = next_is("\\\n");
      if (!continues && !std::string_view(">& ").contains(script_[at_])) break;
      at_ += continues ? 2 : 1;
    }
    if (!done() && script_[at_] != '\n') (void)read_word();
  }

  std::string read_word() {
    std::string word;
    while (!done()) {
      const char c = script_[at_];
      if (next_is("$(") || next_is("<(")) {
        read_substitution(word);
      } else if (c == '\'') {
        const size_t end = std::min(script_.find('\'', at_ + 1), script_.size());
        word += script_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
      } else if (c == '"') {
        read_quoted(word);
      } else if (c == '\\' && at_ + 1 < script_.size()) {
        word += script_[at_ + 1];
        at_ += 2;
      } else if (c == '<' || c == '>') {
        if (!word.empty() &&
            !std::ranges::all_of(word, [](char d) { return d >= '0' && d <= '9'; }))
          break;
        ++at_;
        return word + c;
      } else if (std::string_view(" \t\n;|&()").contains(c)) {
        break;
      } else {
        word += c;
        ++at_;
      }
    }
    return word;
  }

  void read_quoted(std::string& word) {
    for (++at_; !done() && script_[at_] != '"';) {
      if (next_is("$(")) {
        read_substitution(word);
      } else {
        at_ += script_[at_] == '\\' ? 1 : 0;
        if (!done()) word += script_[at_++];
      }
    }
    ++at_;
  }

  void read_substitution(std::string& word) {
    at_ += 2;
    read_list();
    word += "$()";
  }

  std::string_view script_;
  size_t at_ = 0;
  std::vector<Words> commands_;
};

bool is_assignment(const std::string& word) {
  const size_t equals = word.find('=');
  return equals != std::string::npos && equals > 0 &&
         std::ranges::all_of(word.substr(0, equals),
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

}  // namespace

std::vector<Words> shell_commands(std::string_view script) {
  return Splitter(script).split();
}

std::vector<Words> drover_lines(std::string_view markdown) {
  std::string script;
  std::string fence;
  std::istringstream text{std::string(markdown)};
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```")) {
      fence = fence.empty() ? line : "";
    } else if (fence == "```sh") {
      script += line + "\n";
    } else if (fence == "```console" && line.starts_with("$ ")) {
      script += line.substr(2) + "\n";
    }
  }
  std::vector<Words> found;
  for (const Words& command : shell_commands(script)) {
    const auto program = std::ranges::find_if_not(command, is_assignment);
    if (program == command.end() || *program != "drover") continue;
    found.emplace_back(program + 1, command.end());
  }
  return found;
}

}  // namespace drover::cli
