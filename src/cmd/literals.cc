#include "cmd/literals.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

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

constexpr auto kDeclares =
    std::to_array<std::string_view>({"struct", "class", "enum", "union", "concept", "using"});

bool is_sql(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of("\n "), text.size());
  return std::ranges::any_of(kSql, [&](std::string_view word) {
    return text.starts_with(word) || text.substr(begin).starts_with(word);
  });
}

class Scanner {
 public:
  explicit Scanner(std::string_view source) : rest_(source) {}

  std::vector<Comment> comments() {
    all();
    return std::move(comments_);
  }

  std::vector<Identifier> identifiers() {
    all();
    return std::move(names_);
  }

  std::vector<Literal> all() {
    while (!rest_.empty()) {
      const bool is_blank = std::isspace(static_cast<unsigned char>(rest_.front())) != 0;
      if (!is_blank && rest_.front() != '/') comment_end_.reset();
      if (rest_.starts_with("//")) {
        comment(rest_.substr(2, rest_.find('\n') - 2));
        skip(rest_.find('\n'));
      } else if (rest_.starts_with("#include")) {
        skip(rest_.find('\n'));
      } else if (rest_.starts_with("/*")) {
        comment(rest_.substr(2, rest_.find("*/") - 2));
        skip_after("*/");
      } else if (rest_.starts_with("R\"") && !is_word(before_)) {
        raw();
      } else if (rest_.front() == '"') {
        quoted();
      } else if (rest_.front() == '\'') {
        character();
      } else if (is_word(rest_.front())) {
        end();
        word();
      } else {
        if (!is_blank) end();
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

  void skip_after(std::string_view mark) {
    const size_t at = rest_.find(mark);
    skip(at == std::string_view::npos ? at : at + mark.size());
  }

  void comment(std::string_view text) {
    const bool continues = comment_end_ && line_ == *comment_end_ + 1;
    if (!continues) comments_.push_back({.line = line_, .text = {}});
    std::string& to = comments_.back().text;
    if (continues) to += ' ';
    bool quoted = false;
    for (const char c : text) {
      if (c == '`') quoted = !quoted;
      if (!quoted) to += c;
    }
    comment_end_ = line_ + static_cast<size_t>(std::ranges::count(text, '\n'));
  }

  // A name, a keyword or a number.
  void word() {
    const auto other = std::ranges::find_if_not(rest_, is_word);
    const std::string_view text = rest_.substr(0, static_cast<size_t>(other - rest_.begin()));
    const bool declares = std::ranges::find(kDeclares, text) != kDeclares.end();
    if (!declares && std::isdigit(static_cast<unsigned char>(text.front())) == 0) {
      names_.push_back({.line = line_, .name = std::string(text), .is_declared = declares_});
    }
    declares_ = declares;
    skip(text.size());
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
    skip_after(close);
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

  // After a digit it is the separator of a number.
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
  std::vector<Comment> comments_;
  std::vector<Identifier> names_;
  bool declares_ = false;              // The last word declares the next name.
  std::optional<size_t> comment_end_;  // The last line of the last comment; empty: code followed.
};

}  // namespace

std::vector<Literal> read_literals(std::string_view source) {
  return Scanner(source).all();
}

std::vector<Comment> read_comments(std::string_view source) {
  return Scanner(source).comments();
}

std::vector<Identifier> read_identifiers(std::string_view source) {
  return Scanner(source).identifiers();
}

}  // namespace drover::literals
