#include "access/keys.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "access/seal.h"
#include "base/fd.h"

namespace drover::access {
namespace {

constexpr std::string_view kMaker = "dro_";
constexpr std::string_view kOwner = "dro_owner_";
constexpr std::string_view kRun = "dro_run_";
constexpr size_t kSecretDigits = 64;
constexpr size_t kIdDigits = 12;

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_owner_token(std::string_view text) {
  return text.size() == kOwner.size() + kSecretDigits && text.starts_with(kOwner) &&
         is_hex(text.substr(kOwner.size()));
}

// The token in a file that only we can read. Empty: there is no such file, or it cannot be trusted.
Result<std::optional<std::string>> read_owner(const std::string& path) {
  const Fd file = open_file(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (!file && (errno == ENOENT || errno == ELOOP)) return std::nullopt;
  if (!file) return fail_errno("cannot read " + path, errno);
  struct stat st{};
  if (::fstat(file.get(), &st) != 0) return fail_errno("cannot stat " + path, errno);
  const bool is_private =
      S_ISREG(st.st_mode) && (st.st_mode & 077) == 0 && st.st_uid == ::geteuid();
  char text[kOwner.size() + kSecretDigits + 2];
  const ssize_t n = is_private ? ::read(file.get(), text, sizeof text) : 0;
  std::string_view read(text, n > 0 ? static_cast<size_t>(n) : 0);
  if (read.ends_with('\n')) read.remove_suffix(1);
  if (!is_owner_token(read)) return std::nullopt;
  return std::string(read);
}

}  // namespace

Keys::Keys(std::string owner)
    : owner_(std::move(owner)), key_(sha256_hex("drover's key, from " + owner_)) {}

Result<Keys> Keys::open(const std::string& path) {
  auto known = read_owner(path);
  if (!known) return std::unexpected(known.error());
  if (*known) return Keys(std::move(**known));
  std::string fresh = std::string(kOwner) + random_hex(kSecretDigits);
  if (auto written = replace_file(path, fresh + "\n"); !written) {
    return std::unexpected(written.error());
  }
  return Keys(std::move(fresh));
}

bool Keys::is_owner(std::string_view token) const {
  return same_secret(token, owner_);
}

std::string Keys::of_run(const RunId& id) const {
  const std::string_view ulid = id.view().substr(RunId::kPrefix.size());
  std::string token;
  token.append(kRun).append(ulid).append("_").append(mac_of(key_, id.view()));
  return token;
}

std::optional<RunId> Keys::run_of(std::string_view token) const {
  if (!token.starts_with(kRun)) return std::nullopt;
  const std::string_view rest = token.substr(kRun.size());
  const auto id =
      RunId::parse(std::string(RunId::kPrefix) + std::string(rest.substr(0, rest.find('_'))));
  if (!id || !same_secret(token, of_run(*id))) return std::nullopt;
  return *id;
}

std::string Keys::of_session(std::string_view id) const {
  std::string token;
  token.append(kMaker).append(id).append("_").append(mac_of(key_, id));
  return token;
}

std::string Keys::page_key_of(std::string_view session) const {
  std::string text("the page of ");
  return mac_of(key_, text.append(session));
}

std::string id_in(std::string_view token) {
  constexpr size_t kSize = 4 + kIdDigits;  // tok_ or ses_
  if (!token.starts_with(kMaker) || token.size() <= kMaker.size() + kSize) return {};
  const std::string_view id = token.substr(kMaker.size(), kSize);
  if (!id.starts_with("tok_") && !id.starts_with("ses_")) return {};
  return std::string(id);
}

std::string new_token_id() {
  return "tok_" + random_hex(kIdDigits);
}
std::string new_session_id() {
  return "ses_" + random_hex(kIdDigits);
}
std::string new_token_text(std::string_view id) {
  std::string token;
  token.append(kMaker).append(id).append("_").append(random_hex(kSecretDigits));
  return token;
}

}  // namespace drover::access
