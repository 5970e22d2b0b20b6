// Users and their passwords: in addresses (scheme://user:password@host) and in options (-u
// user:password). The user is shown.
#include <algorithm>
#include <array>

#include "run/characters.h"
#include "run/redact_scan.h"

namespace drover::run {
namespace {

constexpr auto kNone = std::string_view::npos;

// Everybody who has such an address may use it: its rest is a secret.
constexpr auto kSecretAddresses = std::to_array<std::string_view>(
    {"hooks.slack.com/services/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
     "api.telegram.org/bot", "outlook.office.com/webhook/"});

}  // namespace

bool Scan::secret_address() {
  for (const std::string_view address : kSecretAddresses) {
    if (!text_.substr(at_).starts_with(address)) continue;
    const size_t begin = at_ + address.size();
    hide(begin, unquoted_end(begin));
    at_ = std::max(at_, begin);
    return true;
  }
  return false;
}

// 8080:80 and 1000:1000 are ports and ids, not passwords.
bool Scan::is_pair_of_numbers(std::string_view value) {
  return value.find(':') != kNone &&
         std::ranges::all_of(value, [](char c) { return is_digit(c) || c == ':' || c == '.'; });
}

// user:password@host shows the user; token@host shows nothing, except where users log in by keys.
void Scan::user_info() {
  const size_t scheme = at_;
  at_ += 3;
  if (secret_address()) return;
  const auto find = [this](size_t from, auto stops) {
    while (from < text_.size() && !stops(text_[from])) ++from;
    return from;
  };
  const size_t end = find(
      at_, [](char c) { return is_space(c) || is_quote(c) || c == '/' || c == '?' || c == '#'; });
  const std::string_view authority = text_.substr(at_, end - at_);
  const size_t colon = authority.find(':');
  size_t host = authority.rfind('@');
  const std::string_view port =
      colon == kNone ? std::string_view() : authority.substr(colon + 1, host - colon - 1);
  const bool has_password = colon != kNone && (host == kNone || colon < host);
  const bool is_port = host == kNone && std::ranges::all_of(port, is_digit);
  const std::string_view after = authority.substr(host == kNone ? 0 : host + 1);
  const bool is_host = host != kNone && after.find_first_of(".:") != kNone;
  // The password may contain the characters that end an authority.
  if (has_password && !is_port && !is_host) host = std::max(host + 1, last_at_of_word()) - 1;
  if (host == kNone) return;  // Its words are checked later.
  const std::string_view name = text_.substr(0, scheme);
  if (!has_password && (name.ends_with("ssh") || name.ends_with("sftp"))) return;
  hide(at_ + (has_password ? colon + 1 : 0), at_ + host);
}

// The position after the last '@' of this word, from at_; 0: none. A word is searched only once.
size_t Scan::last_at_of_word() {
  if (at_ >= word_end_) {
    word_end_ = at_;
    while (word_end_ < text_.size() && !is_space(text_[word_end_]) && !is_quote(text_[word_end_])) {
      ++word_end_;
    }
    last_at_ = text_.substr(0, word_end_).rfind('@');
  }
  return last_at_ == kNone || last_at_ < at_ ? 0 : last_at_ - at_ + 1;
}

// curl -u user:password, also --user=user:password; shows the user.
void Scan::user_and_password(size_t name, size_t begin, std::string_view between) {
  if (is_whole(name)) return hide_password_of_user(begin, text_.size(), between);
  if (is_quote(peek(begin))) {
    const size_t end = quoted_end(begin + 1, text_[begin], backslashes_before(begin));
    return hide_password_of_user(begin + 1, end, between);
  }
  hide_password_of_user(begin, unquoted_end(begin), between);
}

void Scan::hide_password_of_user(size_t begin, size_t end, std::string_view between) {
  if (begin >= end || text_[begin] == '+' || text_[begin] == '-') return;  // date -u +%H:%M
  const std::string_view both = text_.substr(begin, end - begin);
  const size_t colon = both.find_first_of(between);
  if (colon != kNone && !is_pair_of_numbers(both)) hide(begin + colon + 1, end);
}

}  // namespace drover::run
