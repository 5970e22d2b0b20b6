#include "cmd/literals.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace drover::literals {
namespace {

constexpr auto kSql = std::to_array<std::string_view>({
    "SELECT ",
    "INSERT ",
    "UPDATE ",
    "DELETE ",
    "CREATE ",
    "ALTER ",
    "DROP ",
    "WITH RECURSIVE ",
    "PRAGMA ",
    "BEGIN ",
    " FROM ",
});

bool is_sql(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of("\n "), text.size());
  return std::ranges::any_of(kSql, [&](std::string_view word) {
    return text.starts_with(word) || text.substr(begin).starts_with(word);
  });
}

class Scanner {
 public:
  explicit Scanner(std::string_view source) : rest_(source) {}

  std::vector<Literal> all() {
    while (!rest_.empty()) {
      if (rest_.starts_with("//") || rest_.starts_with("#include")) {
        skip(rest_.find('\n'));
      } else if (rest_.starts_with("/*")) {
        skip_behind("*/");
      } else if (rest_.starts_with("R\"") && !is_word(before_)) {
        raw();
      } else if (rest_.front() == '"') {
        quoted();
      } else if (rest_.front() == '\'') {
        character();
      } else {
        if (std::isspace(static_cast<unsigned char>(rest_.front())) == 0) end();
        skip(1);
      }
    }
    end();
    return std::move(found_);
  }

 private:
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  void skip(size_t count) {
    const std::string_view gone = rest_.substr(0, count);
    line_ += static_cast<size_t>(std::ranges::count(gone, '\n'));
    if (!gone.empty()) before_ = gone.back();
    rest_.remove_prefix(gone.size());
  }

  void skip_behind(std::string_view mark) {
    const size_t at = rest_.find(mark);
    skip(at == std::string_view::npos ? at : at + mark.size());
  }

  void begin() {
    if (!open_) literal_ = {.line = line_, .text = {}};
    open_ = true;
  }

  void end() {
    if (open_ && !is_sql(literal_.text)) found_.push_back(std::move(literal_));
    open_ = false;
  }

  // R"mark(text)mark"
  void raw() {
    begin();
    skip(2);
    const std::string close = ")" + std::string(rest_.substr(0, rest_.find('('))) + "\"";
    skip(close.size() - 1);
    literal_.text += rest_.substr(0, rest_.find(close));
    skip_behind(close);
  }

  void quoted() {
    begin();
    skip(1);
    while (!rest_.empty() && rest_.front() != '"') {
      const bool escaped = rest_.front() == '\\' && rest_.size() > 1;
      if (escaped) skip(1);
      literal_.text += escaped && rest_.front() == 'n' ? ' ' : rest_.front();
      skip(1);
    }
    skip(1);
  }

  // Behind a digit it is the separator of a number.
  void character() {
    end();
    if (is_word(before_)) return skip(1);
    skip(1);
    while (!rest_.empty() && rest_.front() != '\'') skip(rest_.front() == '\\' ? 2 : 1);
    skip(1);
  }

  std::string_view rest_;
  char before_ = ' ';
  size_t line_ = 1;
  bool open_ = false;
  Literal literal_;
  std::vector<Literal> found_;
};

}  // namespace

std::vector<Literal> read_literals(std::string_view source) {
  return Scanner(source).all();
}

}  // namespace drover::literals
