#include "run/secret_names.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "run/characters.h"

namespace drover::run {
namespace {

constexpr auto kNoSecrets =
    std::to_array<std::string_view>({"true", "false", "null", "none", "nil", "undefined"});

// The letters of a word, one bit each: a word whose letters a name does not have is not in it. This
// spares most searches.
constexpr std::uint32_t letters_of(std::string_view text) {
  std::uint32_t out = 0;
  for (const char c : text) out |= 1U << (static_cast<unsigned char>(c) & 31U);
  return out;
}

struct Name {
  constexpr Name(const char* word) : text(word), letters(letters_of(text)) {}
  std::string_view text;
  std::uint32_t letters;
};

// A name with one of these parts holds a secret.
constexpr auto kParts =
    std::to_array<Name>({"password", "passwd", "passphrase", "passcode", "secret", "credential",
                         "apikey", "connectionstring", "connection_string", "webhook"});

// A name with one of these endings holds a secret.
constexpr auto kEndings = std::to_array<Name>(
    {"token",         "_key",      "_pass",      "_pwd",      "_auth",       "_psk",
     "_jwt",          "_cookie",   "accountkey", "accesskey", "privatekey",  "signingkey",
     "encryptionkey", "masterkey", "authkey",    "sessionid", "signature",   "pass",
     "rootpw",        "userpw",    "adminpw",    "_pw",       "pass_phrase", "_bearer"});

constexpr auto kWhole = std::to_array<Name>({"jwt", "psk", "otp"});

// A place or a property of a secret, and not the secret itself.
constexpr auto kHarmlessEndings = std::to_array<Name>(
    {"_file",       "_path",       "_dir",   "_id",     "_name",      "_stdin",   "_prompt",
     "_command",    "_length",     "_count", "_type",   "_policy",    "_store",   "cache_key",
     "sort_key",    "_ttl",        "_env",   "_keyid",  "keyid",      "_expiry",  "_help",
     "primary_key", "foreign_key", "bypass", "compass", "first_pass", "one_pass", "single_pass"});

constexpr auto kHarmlessParts = std::to_array<Name>({"public"});
constexpr auto kWebhook = std::to_array<Name>({"webhook"});
constexpr auto kAddresses = std::to_array<Name>({"_url", "_uri", "_endpoint", "_host"});

constexpr auto kSwitches = std::to_array<Name>({"no_", "skip_", "enable_", "disable_", "require_"});

constexpr auto kOptions =
    std::to_array<Name>({"auth", "bearer", "cookie", "passin", "passout", "pw", "pwd"});
constexpr auto kAssigned = std::to_array<Name>({"key", "pwd"});
constexpr auto kParameters = std::to_array<Name>({"sig", "auth", "code"});
constexpr auto kHeaders = std::to_array<Name>(
    {"authorization", "proxy-authorization", "cookie", "set-cookie", "extraheader"});
constexpr auto kUsers = std::to_array<Name>({"u", "user", "proxy-user"});
constexpr auto kPasswords = std::to_array<Name>({"password", "passwd", "passphrase"});

bool is_one_of(std::string_view name, std::span<const Name> table) {
  return std::ranges::any_of(table, [&](const Name& one) { return same(name, one.text); });
}

// A name in lower case, with '_' between its parts.
class Low {
 public:
  explicit Low(std::string_view name) {
    if (name.size() > memory_.size()) name.remove_prefix(name.size() - memory_.size());
    std::ranges::transform(name, memory_.begin(),
                           [](char c) { return c == '-' || c == '.' ? '_' : lower(c); });
    text_ = {memory_.data(), name.size()};
    letters_ = letters_of(text_);
  }
  Low(const Low&) = delete;
  Low& operator=(const Low&) = delete;

  bool begins(std::span<const Name> table) const {
    return any(table, [this](std::string_view one) { return text_.starts_with(one); });
  }
  bool ends(std::span<const Name> table) const {
    return any(table, [this](std::string_view one) { return text_.ends_with(one); });
  }
  bool has(std::span<const Name> table) const {
    return any(table, [this](std::string_view one) { return text_.find(one) != text_.npos; });
  }
  bool is(std::span<const Name> table) const {
    return any(table, [this](std::string_view one) { return text_ == one; });
  }

 private:
  bool any(std::span<const Name> table, auto fits) const {
    return std::ranges::any_of(
        table, [&](const Name& one) { return (one.letters & ~letters_) == 0 && fits(one.text); });
  }

  std::array<char, 64> memory_;
  std::string_view text_;
  std::uint32_t letters_ = 0;
};

}  // namespace

bool names_a_secret(std::string_view name) {
  if (name.size() < 3 || name == "PWD" || name == "OLDPWD") return false;  // A shell's directory.
  const Low low(name);
  if (!low.has(kParts) && !low.ends(kEndings) && !low.is(kWhole)) return false;
  if (low.has(kHarmlessParts) || low.ends(kHarmlessEndings) || low.begins(kSwitches)) return false;
  // The address of a webhook is its secret; other addresses are not.
  return !low.ends(kAddresses) || low.has(kWebhook);
}

bool names_a_secret_option(std::string_view name) {
  return is_one_of(name, kOptions) || names_a_secret(name);
}
bool names_an_assigned_secret(std::string_view name) {
  return name != "PWD" && is_one_of(name, kAssigned);
}
bool names_a_secret_parameter(std::string_view name) {
  return is_one_of(name, kParameters);
}
bool names_a_secret_header(std::string_view name) {
  return is_one_of(name, kHeaders);
}
bool names_a_user(std::string_view option) {
  return is_one_of(option, kUsers);
}
bool is_harmless(std::string_view value) {
  if (value.size() == 1 && is_digit(value.front())) return true;  // --pass 1
  return std::ranges::any_of(kNoSecrets, [&](std::string_view word) { return same(value, word); });
}
bool names_a_password(std::string_view word) {
  return is_one_of(word, kPasswords);
}

}  // namespace drover::run
