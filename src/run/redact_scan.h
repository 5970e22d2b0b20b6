// A Scan copies a text and hides everything in it that has the form of a secret. It walks over the
// text once, word by word. The tables are in secret_names, secret_tokens and password_options.
// Linear in the length of the text: bytes that it has looked at ahead are hidden or skipped, and
// not read again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "run/password_options.h"

namespace drover::run {

// Whether the arguments before this one say that it is a secret.
struct Clues {
  enum class Next : std::uint8_t { anything, value, password, unnamed, cookie, user, script };

  Next next = Next::anything;
  const PasswordProgram* program = nullptr;
  std::string before;  // The last plain word.
};

class Scan {
 public:
  // A text is prose, JSON or a script: a value in it ends somewhere. An argument is one word of a
  // command: a value in it extends to the argument's end, whatever it contains.
  enum class Kind : std::uint8_t { text, argument };

  Scan(std::string_view text, Kind kind, Clues& clues);

  std::string run();

 private:
  void walk();
  // Handles an argument whose meaning the clues give, such as the value after --token. False: they
  // say nothing about it.
  bool take_as_clued();
  void hide(size_t begin, size_t end);

  void word();
  bool token(size_t begin);
  void option(size_t begin, std::string_view all, std::string_view name);
  bool program_option(size_t begin);
  void plain_word(size_t begin, std::string_view all);
  void user_info();
  bool secret_address();
  size_t last_at_of_word();
  static bool is_pair_of_numbers(std::string_view value);
  void user_and_password(size_t name, size_t begin, std::string_view between);
  void hide_password_of_user(size_t begin, size_t end, std::string_view between);
  bool unnamed_password(size_t begin);
  void element();
  void pem(size_t begin);
  void header(size_t name);
  bool assigned(size_t name);
  void value(size_t name, size_t begin);
  void quoted(size_t quote);

  size_t quoted_end(size_t begin, char quote, size_t backslashes) const;
  size_t unquoted_end(size_t begin) const;
  size_t backslashes_before(size_t at) const;
  size_t after_blanks(size_t at) const;
  bool starts_word(size_t at) const;
  bool is_whole(size_t name) const { return kind_ == Kind::argument && name == 0; }
  char peek(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  std::string_view text_;
  const Kind kind_;
  Clues& clues_;
  std::string_view before_;
  size_t at_ = 0;
  size_t word_end_ = 0;                      // Up to here the text was searched for an '@'.
  size_t last_at_ = std::string_view::npos;  // The last '@' found.
  size_t shown_ = 0;                         // Up to here the text was copied or hidden.
  std::string out_;
};

}  // namespace drover::run
