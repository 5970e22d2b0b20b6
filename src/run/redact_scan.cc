#include "run/redact_scan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "run/characters.h"
#include "run/secret_names.h"
#include "run/secret_tokens.h"
#include "run/secrets.h"

namespace drover::run {
namespace {

constexpr auto kNone = std::string_view::npos;
// Letters and other characters: no word, no number.
bool is_mixed(std::string_view value) {
  constexpr size_t kShortest = 6;
  return value.size() >= kShortest && std::ranges::any_of(value, is_letter) &&
         std::ranges::any_of(value, is_digit);
}

constexpr size_t kTokenLooked = 64;  // As far as a token must be read to be recognized.

}  // namespace

Scan::Scan(std::string_view text, Kind kind, Clues& clues)
    : text_(text),
      kind_(kind == Kind::argument && clues.next == Clues::Next::script ? Kind::text : kind),
      clues_(clues),
      before_(clues.before) {
  out_.reserve(text.size());
}

std::string Scan::run() {
  if (!take_as_clued()) walk();
  out_.append(text_.substr(shown_));
  clues_.before = std::string(before_);
  return std::move(out_);
}

void Scan::walk() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (is_word(c)) {
      word();
    } else if (c == ':' && text_.substr(at_).starts_with("://")) {
      user_info();
    } else {
      // Another command begins.
      if (c == ';' || c == '|' || c == '&' || c == '\n') clues_.program = nullptr;
      ++at_;
    }
  }
}

bool Scan::take_as_clued() {
  const Clues::Next next = std::exchange(clues_.next, Clues::Next::anything);
  if (text_.empty()) return false;
  switch (next) {
    case Clues::Next::value:
      if (text_.front() == '-' || is_harmless(text_)) return false;
      hide(0, text_.size());
      return true;
    case Clues::Next::password:
      if (is_pair_of_numbers(text_)) return false;
      hide(0, text_.size());
      return true;
    case Clues::Next::unnamed:
      if (!is_mixed(text_)) return false;
      hide(0, text_.size());
      return true;
    case Clues::Next::cookie:
      if (text_.find('=') == kNone) return false;  // A file.
      hide(0, text_.size());
      return true;
    case Clues::Next::user:
      hide_password_of_user(0, text_.size(), clues_.program == nullptr ? ":" : ":%,");
      return at_ > 0;
    default:
      return false;
  }
}

void Scan::hide(size_t begin, size_t end) {
  if (begin >= end) return;
  out_.append(text_.substr(shown_, begin - shown_)).append(kRedacted);
  shown_ = at_ = end;
}

void Scan::word() {
  const size_t begin = at_;
  while (at_ < text_.size() && is_word(text_[at_])) ++at_;
  const std::string_view all = text_.substr(begin, at_ - begin);
  const std::string_view name = all.substr(std::min(all.find_first_not_of('-'), all.size()));
  if (all.starts_with("-----BEGIN")) return pem(begin);
  if (token(begin)) return;
  if (same(name, "bearer") && is_space(peek(at_))) return value(begin, at_ + 1);
  if (names_a_secret_header(name)) return header(begin);
  if (all.size() > name.size()) {
    option(begin, all, name);
  } else {
    plain_word(begin, all);
  }
}

bool Scan::token(size_t begin) {
  const auto continues = [this](size_t at) { return is_word(peek(at)) || peek(at) == '.'; };
  size_t end = at_;
  while (end < at_ + kTokenLooked && continues(end)) ++end;
  // A token in the dotted rest is found when its own word is read.
  const size_t found = token_in(text_.substr(begin, end - begin), at_ - begin);
  if (found == kNone) return false;
  while (continues(end)) ++end;
  while (text_[end - 1] == '.') --end;
  hide(begin + found, end);
  return true;
}

void Scan::option(size_t begin, std::string_view all, std::string_view name) {
  const bool starts = starts_word(begin);
  if (starts && program_option(begin)) return;
  if (all.starts_with("-H") && names_a_secret_header(name.substr(1))) return header(begin);
  if (all.starts_with("-H") && names_a_secret(name.substr(1)) && assigned(begin)) return;
  const bool ends_argument = is_whole(begin) && at_ == text_.size();
  if (names_a_user(name)) {
    if (clues_.program != nullptr && clues_.program->form == PasswordForm::owner) return;
    if (ends_argument) clues_.next = Clues::Next::user;
    if (peek(at_) == '=') user_and_password(begin, at_ + 1, ":");
    if (is_blank(peek(at_))) user_and_password(begin, after_blanks(at_), ":");
    return;
  }
  if (ends_argument && all[1] != '-' && name.ends_with('c') && name.size() <= 3) {
    clues_.next = Clues::Next::script;  // sh -c, bash -lc
    return;
  }
  constexpr std::string_view kHereString = "<<<";
  const size_t after = after_blanks(at_);
  if (name.ends_with("password-stdin") && text_.substr(after).starts_with(kHereString)) {
    return value(begin, after + kHereString.size());
  }
  if (!names_a_secret_option(name)) return;
  if (assigned(begin)) return;
  if (ends_argument) {
    clues_.next = Clues::Next::value;
  } else if (is_blank(peek(at_)) && peek(after_blanks(at_)) != '-') {
    value(begin, at_);
  }
}

bool Scan::program_option(size_t begin) {
  if (clues_.program == nullptr || peek(begin + 1) == '-') return false;
  size_t length = 0;
  const PasswordForm form = password_option(*clues_.program, text_.substr(begin), length);
  if (form == PasswordForm::none || form == PasswordForm::owner) return false;
  size_t next = begin + length;
  const bool is_attached = next < text_.size() && !is_space(text_[next]);
  if (is_attached && form == PasswordForm::exact) return false;
  if (!is_attached && form == PasswordForm::attached) return true;
  if (!is_attached && next == text_.size()) {
    clues_.next = form == PasswordForm::user     ? Clues::Next::user
                  : form == PasswordForm::cookie ? Clues::Next::cookie
                                                 : Clues::Next::password;
    return true;
  }
  if (!is_attached) next = after_blanks(next);
  if (peek(next) == '=' && is_attached) ++next;
  at_ = next;
  if (form == PasswordForm::user) {
    user_and_password(begin, next, ":%,");
  } else {
    const std::string_view given = text_.substr(next, unquoted_end(next) - next);
    const bool is_file = form == PasswordForm::cookie && given.find('=') == kNone;
    if (!is_file && !is_pair_of_numbers(given)) value(begin, next);
  }
  at_ = std::max(at_, next);
  return true;
}

void Scan::plain_word(size_t begin, std::string_view all) {
  const char next = peek(at_);
  const bool is_set = before_ == "set";  // aws configure set NAME VALUE
  const bool stands_alone = next == '\0' || is_space(next);
  if (stands_alone && (starts_word(begin) || peek(begin - 1) == '/')) {
    if (const PasswordProgram* program = password_program(all, before_)) {
      clues_.program = program;
    } else if (clues_.program != nullptr && clues_.program->starts_another) {
      clues_.program = nullptr;
    }
    before_ = all;
  }
  if (names_a_secret(all)) {
    if (assigned(begin)) return;
    const size_t quote = after_blanks(at_);
    if (names_a_password(all) && quote > at_ && is_quote(peek(quote))) return quoted(quote);
    if (begin > 0 && text_[begin - 1] == '<' && next == '>') return element();
    if (names_a_password(all) && stands_alone && unnamed_password(quote)) return;
    if (!is_set || !stands_alone) return;
    if (at_ < text_.size()) return value(begin, at_);
    if (kind_ == Kind::argument) clues_.next = Clues::Next::value;
    return;
  }
  // UID=…;PWD=…: not the directory of a shell.
  const bool is_database = all == "PWD" && begin > 0 && text_[begin - 1] == ';';
  if (is_database && next == '=' && peek(at_ + 1) != '/') return value(begin, at_ + 1);
  const bool is_parameter = begin > 0 && (text_[begin - 1] == '?' || text_[begin - 1] == '&');
  if (names_an_assigned_secret(all) || (is_parameter && names_a_secret_parameter(all))) {
    if (next == '=') value(begin, at_ + 1);
    return;
  }
  constexpr std::string_view kBy = " by ";
  const std::string_view rest = text_.substr(at_, kBy.size());
  if (same(all, "identified") && same(rest, kBy)) value(begin, at_ + kBy.size());
}

// password VALUE, as in .netrc: only if the value does not look like a word of a sentence.
bool Scan::unnamed_password(size_t begin) {
  if (begin == text_.size()) {
    if (kind_ == Kind::argument) clues_.next = Clues::Next::unnamed;
    return false;
  }
  const size_t end = unquoted_end(begin);
  if (!is_mixed(text_.substr(begin, end - begin))) return false;
  hide(begin, end);
  return true;
}

// <password>VALUE</password>
void Scan::element() {
  const size_t end = std::min(text_.find('<', at_), text_.size());
  if (!is_harmless(text_.substr(at_ + 1, end - at_ - 1))) hide(at_ + 1, end);
}

void Scan::pem(size_t begin) {
  constexpr std::string_view kEnd = "-----END";
  const size_t end = text_.find(kEnd, at_);
  if (end == kNone) return hide(begin, text_.size());
  const size_t close = text_.find("-----", end + kEnd.size());
  hide(begin, close == kNone ? text_.size() : close + 5);
}

}  // namespace drover::run
