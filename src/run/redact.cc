#include "run/redact.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/limits.h"
#include "base/text.h"

namespace drover::run {
namespace {

constexpr size_t kSecretBytesMin = 6;
constexpr auto kNone = std::string_view::npos;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
bool is_word(char c) {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || c == '_' || c == '-';
}
bool is_quote(char c) {
  return c == '"' || c == '\'' || c == '`';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool same(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, [](char a, char b) { return lower(a) == b; });
}

bool names_a_user(std::string_view option) {
  return same(option, "u") || same(option, "user") || same(option, "proxy-user");
}

// The prefix of a well-known kind of token, and how many characters must follow.
struct Shape {
  std::string_view begin;
  size_t rest;
};
constexpr auto kShapes = std::to_array<Shape>({
    {"dro_", 16},   {"sk-", 16},   {"sk_live_", 10}, {"rk_live_", 10}, {"ghp_", 20},
    {"gho_", 20},   {"ghu_", 20},  {"ghs_", 20},     {"ghr_", 20},     {"github_pat_", 20},
    {"glpat-", 16}, {"xoxa-", 10}, {"xoxb-", 10},    {"xoxp-", 10},    {"xoxr-", 10},
    {"xoxs-", 10},  {"AKIA", 16},  {"ASIA", 16},     {"AIza", 30},     {"npm_", 30},
    {"eyJ", 16},
});

bool is_token(std::string_view word) {
  return std::ranges::any_of(kShapes, [&](const Shape& shape) {
    return word.starts_with(shape.begin) && word.size() >= shape.begin.size() + shape.rest;
  });
}

// Walks over a text once, word by word, and copies what may be shown.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) { out_.reserve(text.size()); }

  std::string run() {
    while (at_ < text_.size()) {
      if (text_.substr(at_).starts_with("://")) {
        at_ += 3;
        user_info();
      } else if (is_word(text_[at_])) {
        word();
      } else {
        ++at_;
      }
    }
    out_.append(text_.substr(shown_));
    return std::move(out_);
  }

 private:
  void hide(size_t begin, size_t end) {
    if (begin >= end) return;
    out_.append(text_.substr(shown_, begin - shown_)).append(kRedacted);
    shown_ = at_ = end;
  }

  size_t end_of(size_t begin, auto stops) const {
    while (begin < text_.size() && !stops(text_[begin])) ++begin;
    return begin;
  }
  char peek(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  // user:password@host shows the user; token@host shows nothing.
  void user_info() {
    const size_t end = end_of(
        at_, [](char c) { return is_space(c) || is_quote(c) || c == '/' || c == '?' || c == '#'; });
    const std::string_view authority = text_.substr(at_, end - at_);
    const size_t host = authority.rfind('@');
    if (host == kNone) return;  // Its words are checked later.
    const size_t colon = authority.substr(0, host).find(':');
    hide(at_ + (colon == kNone ? 0 : colon + 1), at_ + host);
  }

  void word() {
    const size_t begin = at_;
    at_ = end_of(begin, [](char c) { return !is_word(c); });
    const std::string_view all = text_.substr(begin, at_ - begin);
    const std::string_view name = all.substr(std::min(all.find_first_not_of('-'), all.size()));
    if (all.starts_with("-----BEGIN")) return pem(begin);
    if (is_token(all)) {
      return hide(begin, end_of(at_, [](char c) { return !is_word(c) && c != '.'; }));
    }
    if (same(name, "bearer") && is_space(peek(at_))) return value(at_ + 1);
    if (same(name, "authorization") || same(name, "proxy-authorization")) return header();
    if (all.size() > name.size() && names_a_user(name)) return user_and_password();
    if (same(name, "key") ? peek(at_) == '=' : names_a_secret(name)) {
      assigned(all.size() > name.size());
    }
  }

  // curl -u user:password, also --user=user:password; shows the user.
  void user_and_password() {
    if (!is_space(peek(at_)) && peek(at_) != '=') return;
    const size_t begin = end_of(at_ + 1, [](char c) { return !is_space(c) && !is_quote(c); });
    const size_t end = end_of(begin, [](char c) { return is_space(c) || is_quote(c); });
    const size_t colon = text_.substr(begin, end - begin).find(':');
    if (colon != kNone) hide(begin + colon + 1, end);
  }

  void pem(size_t begin) {
    constexpr std::string_view kEnd = "-----END";
    const size_t end = text_.find(kEnd, at_);
    if (end == kNone) return hide(begin, text_.size());
    const size_t close = text_.find("-----", end + kEnd.size());
    hide(begin, close == kNone ? text_.size() : close + 5);
  }

  // Hides the whole value of a header: it may use any scheme.
  void header() {
    size_t begin = at_;
    if (is_quote(peek(begin))) ++begin;
    if (peek(begin) != ':' && peek(begin) != '=') return;
    begin = end_of(begin + 1, [](char c) { return c != ' ' && !is_quote(c); });
    hide(begin, end_of(begin, [](char c) { return c == '\n' || c == '\r' || is_quote(c); }));
  }

  // name=value, name: value, "name": "value"; for an option also --name value.
  void assigned(bool option) {
    size_t next = at_;
    if (is_quote(peek(next))) ++next;
    if (peek(next) == '=' || peek(next) == ':') return value(next + 1);
    if (option && peek(at_) == ' ' && peek(at_ + 1) != '-') value(at_ + 1);
  }

  void value(size_t begin) {
    begin = end_of(begin, [](char c) { return !is_space(c); });
    if (is_quote(peek(begin))) {
      const char quote = text_[begin];
      return hide(begin + 1, end_of(begin + 1, [=](char c) { return c == quote; }));
    }
    hide(begin, end_of(begin, [](char c) {
           return is_space(c) || is_quote(c) || c == '&' || c == ';' || c == ',' || c == '}';
         }));
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t shown_ = 0;  // Up to here the text was copied or hidden.
  std::string out_;
};

// memmem is linear, also for repetitive text.
std::string hide_value(std::string text, std::string_view secret) {
  std::string out;
  size_t shown = 0;
  while (true) {
    const void* found =
        ::memmem(text.data() + shown, text.size() - shown, secret.data(), secret.size());
    if (found == nullptr) break;
    const size_t at = static_cast<size_t>(static_cast<const char*>(found) - text.data());
    out.append(text, shown, at - shown).append(kRedacted);
    shown = at + secret.size();
  }
  return shown == 0 ? std::move(text) : out.append(text, shown);
}

}  // namespace

bool names_a_secret(std::string_view name) {
  std::array<char, 64> memory;
  if (name.size() > memory.size()) name.remove_prefix(name.size() - memory.size());
  std::ranges::transform(name, memory.begin(),
                         [](char c) { return c == '-' || c == '.' ? '_' : lower(c); });
  const std::string_view low(memory.data(), name.size());
  for (const std::string_view place : {"_file", "_path", "_dir", "_url", "_id"}) {
    if (low.ends_with(place)) return false;  // A place of a secret, not the secret itself.
  }
  if (low.find("public") != kNone) return false;
  for (const std::string_view part :
       {"password", "passwd", "passphrase", "secret", "credential", "apikey"}) {
    if (low.find(part) != kNone) return true;
  }
  return low.ends_with("token") || low.ends_with("_key") || low.ends_with("_pass") || low == "pass";
}

std::string redact(std::string_view text, std::span<const std::string> secrets) {
  std::string out(text);
  for (const std::string& secret : secrets) {
    if (secret.size() >= kSecretBytesMin) out = hide_value(std::move(out), secret);
  }
  return Scan(out).run();
}

std::vector<std::string> redact_command(std::span<const std::string> argv,
                                        std::span<const std::string> secrets) {
  constexpr size_t kEnough = 8;  // With less room than this an argument is not shown.
  std::vector<std::string> out;
  size_t left = limits::kCommandSummaryBytesMax;
  std::string_view option;  // The previous argument, if it is an option that expects a value.
  for (const std::string& argument : argv) {
    if (left < kEnough) {
      out.emplace_back("\xE2\x80\xA6");
      break;
    }
    const bool is_option = argument.starts_with('-');
    if (!option.empty() && !is_option && names_a_secret(option)) {
      out.emplace_back(kRedacted);
    } else if (!option.empty() && names_a_user(option) && argument.find(':') != kNone) {
      const std::string user = argument.substr(0, argument.find(':') + 1);
      out.push_back(bounded(redact(user, secrets) + std::string(kRedacted), left));
    } else {
      // A long argument is cut first: the part that is not shown need not be scanned. The cut
      // leaves a little more than is shown, so that a secret is not cut to an unrecognizable piece.
      const std::string_view begin = std::string_view(argument).substr(0, 2 * left);
      out.push_back(bounded(redact(begin, secrets), left));
    }
    left -= std::min(left, out.back().size() + 1);
    option = {};
    if (is_option && argument.find('=') == kNone) {
      option = argument;
      option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
    }
  }
  return out;
}

std::vector<std::string> secret_values(std::span<const std::string> environment) {
  std::vector<std::string> out;
  for (const std::string& variable : environment) {
    const std::string_view name = std::string_view(variable).substr(0, variable.find('='));
    if (variable.size() <= name.size() + kSecretBytesMin || !names_a_secret(name)) continue;
    out.push_back(variable.substr(name.size() + 1));
  }
  // Longest first: a longer one may contain a shorter one.
  std::ranges::sort(out, std::ranges::greater{}, &std::string::size);
  return out;
}

}  // namespace drover::run
