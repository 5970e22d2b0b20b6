#include "triggers/hooks/secret.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/limits.h"
#include "base/ownership.h"
#include "base/private_group.h"
#include "base/read_to_end.h"
#include "triggers/hooks/limits.h"
#include "triggers/hooks/signature.h"

namespace drover::triggers {
namespace {

constexpr std::string_view kFile = "file:";
constexpr std::string_view kEnvironment = "env:";

std::unexpected<Error> trouble(std::string reason, std::string message) {
  return fail(ErrorCode::unavailable, std::move(reason), std::move(message), "secret");
}

bool is_variable_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && name.size() <= kSecretNameBytesMax && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

bool can_others_read(const struct stat& info) {
  if ((info.st_mode & S_IROTH) != 0) return true;
  return (info.st_mode & S_IRGRP) != 0 && !is_private_group(info.st_gid, ::geteuid());
}

}  // namespace

Result<SecretSource> SecretSource::parse(std::string_view text, std::string_view param) {
  const auto bad = [&](std::string message) {
    return fail(ErrorCode::invalid, "invalid_secret_source", std::move(message),
                std::string(param));
  };
  if (text.starts_with(kFile)) {
    const std::string_view path = text.substr(kFile.size());
    if (path.starts_with('/') && path.size() <= limits::kPathBytesMax && !path.contains('\0')) {
      return SecretSource(Kind::file, path);
    }
    return bad("after file: an absolute path must follow, such as file:/home/ann/hook.secret");
  }
  if (text.starts_with(kEnvironment)) {
    const std::string_view name = text.substr(kEnvironment.size());
    if (is_variable_name(name)) return SecretSource(Kind::environment, name);
    return bad(
        "after env: the name of an environment variable must follow, such as "
        "env:HOOK_SECRET");
  }
  return bad(
      "name the place of the secret, not the secret: file:/path, or env:NAME of the daemon's "
      "environment");
}

Result<std::vector<std::string>> SecretSource::read() const {
  const auto found = kind_ == Kind::file ? read_file() : read_environment();
  if (!found) return std::unexpected(found.error());
  return split_secrets(*found, text());
}

std::string SecretSource::text() const {
  return std::string(kind_ == Kind::file ? kFile : kEnvironment) + place_;
}

Result<std::string> SecretSource::read_file() const {
  const auto file = open_trusted(place_);
  if (!file && file.error().reason == "unsafe_home") {
    return trouble("secret_unsafe", message_elsewhere(file.error()));
  }
  if (!file) return trouble("secret_missing", message_elsewhere(file.error()));
  if (!*file) {
    return trouble(
        "secret_missing",
        fmt::format("the secret file {0} does not exist; create it, for example with `(umask "
                    "077; openssl rand -hex 32 > '{0}')`",
                    place_));
  }
  struct stat info{};
  if (::fstat(file->get(), &info) != 0) {
    return trouble("secret_missing", fail_errno("cannot stat " + place_, errno).error().message);
  }
  if (info.st_uid != ::geteuid()) {
    return trouble("secret_unsafe",
                   fmt::format("{0} belongs to user {1}; run `chown {2} '{0}'` as root", place_,
                               info.st_uid, ::geteuid()));
  }
  if (can_others_read(info)) {
    return trouble("secret_unsafe",
                   fmt::format("other users can read {0}; run `chmod 600 '{0}'`, and change the "
                               "secret if they may have read it",
                               place_));
  }
  auto content = read_to_end(file->get(), place_, kSecretBytesMax);
  if (content) return content;
  if (content.error().reason == "file_too_large") {
    return trouble("secret_invalid", fmt::format("{} has more than {} bytes; a secret is one line",
                                                 place_, kSecretBytesMax));
  }
  return trouble("secret_missing", message_elsewhere(content.error()));
}

Result<std::string> SecretSource::read_environment() const {
  const char* value = std::getenv(place_.c_str());
  if (value == nullptr) {
    return trouble(
        "secret_missing",
        fmt::format("the environment variable {} is not set for the daemon; set it where "
                    "the daemon is started, or keep the secret in a file",
                    place_));
  }
  return std::string(value);
}

Result<std::vector<std::string>> split_secrets(std::string_view text, std::string_view source) {
  const auto bad = [&](std::string_view why) {
    return trouble("secret_invalid", fmt::format("{}: {}", source, why));
  };
  if (text.size() > kSecretBytesMax) {
    return bad(fmt::format("it has more than {} bytes", kSecretBytesMax));
  }
  if (text.contains('\0')) return bad("it contains a zero byte; write the secret as text");
  std::vector<std::string> out;
  for (size_t line = 1; !text.empty(); ++line) {
    std::string_view secret = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(secret.size() + 1, text.size()));
    if (secret.ends_with('\r')) secret.remove_suffix(1);
    if (secret.empty()) continue;
    if (is_malformed_secret(secret)) {
      return bad(fmt::format("line {} begins with whsec_, and the rest is not base64", line));
    }
    out.emplace_back(secret);
  }
  if (out.empty()) return bad("it is empty; write the secret on one line");
  if (out.size() > kHookSecretsMax) {
    return bad(fmt::format("it has more than {} secrets; remove old ones", kHookSecretsMax));
  }
  return out;
}

}  // namespace drover::triggers
