#include "triggers/hooks/signature.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "triggers/hooks/limits.h"

namespace drover::triggers {
namespace {

constexpr std::string_view kId = "webhook-id";
constexpr std::string_view kTimestamp = "webhook-timestamp";
constexpr std::string_view kStandard = "webhook-signature";
constexpr std::string_view kGithub = "x-hub-signature-256";
constexpr std::string_view kDelivery = "x-github-delivery";
constexpr std::string_view kPlain = "x-signature";
constexpr std::string_view kSecretPrefix = "whsec_";
constexpr std::string_view kHexPrefix = "sha256=";
constexpr size_t kMacBytes = 32;

std::unexpected<Error> refuse(std::string_view reason, std::string_view header,
                              std::string_view message) {
  return fail(ErrorCode::invalid, std::string(reason), std::string(message), std::string(header));
}

std::unexpected<Error> invalid(std::string_view header, std::string_view message) {
  return refuse("signature_invalid", header, message);
}

struct Header {
  bool is_set = false;
  std::string_view text;
};

// The one value of a header. A repeated header is an error: nobody knows which of its values the
// sender signed.
Result<Header> one_value(const HookRequest& request, std::string_view header) {
  const std::vector<std::string_view> values = request.headers(header);
  if (values.empty()) return Header{};
  if (values.size() > 1) return invalid(header, fmt::format("{} is repeated", header));
  return Header{true, values.front()};
}

// An id of a delivery: visible ASCII, no longer than kHookIdBytesMax.
bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= kHookIdBytesMax &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

// The HMAC-SHA256 of `content`; empty if OpenSSL fails.
std::string mac_of(std::string_view key, std::string_view content) {
  std::string out(kMacBytes, '\0');
  unsigned int size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(content.data());
  const auto* made = ::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes,
                            content.size(), reinterpret_cast<unsigned char*>(out.data()), &size);
  if (made == nullptr || size != kMacBytes) out.clear();
  return out;
}

bool is_same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && !a.empty() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The bytes of a signature in hex; empty if the text is anything else.
std::string bytes_of_hex(std::string_view text) {
  if (text.size() != 2 * kMacBytes) return {};
  std::string out;
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return {};
    out += static_cast<char>(high << 4 | low);
  }
  return out;
}

// The key of a secret in the style Standard Webhooks. Empty: the secret cannot be used there.
std::string standard_key(std::string_view secret) {
  if (!secret.starts_with(kSecretPrefix)) return std::string(secret);
  std::string text(secret.substr(kSecretPrefix.size()));
  while (text.size() % 4 != 0) text += '=';  // Some senders leave out the padding.
  return unbase64(text).value_or("");
}

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> out;
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(' '));
    if (!word.empty()) out.push_back(word);
    list.remove_prefix(std::min(word.size() + 1, list.size()));
  }
  return out;
}

Result<> check_timestamp(const Header& header, WallMs now) {
  const std::string_view text = header.text;
  const bool is_number = !text.empty() && text.size() <= kHookTimestampDigitsMax &&
                         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) {
    return refuse("timestamp_missing", kTimestamp,
                  "webhook-timestamp must be the time of sending in seconds since 1970");
  }
  std::int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  const std::int64_t apart = now - seconds * 1'000;
  if (apart <= kHookToleranceMs && apart >= -kHookToleranceMs) return {};
  return refuse("timestamp_out_of_tolerance", kTimestamp,
                fmt::format("webhook-timestamp is more than {} from the time here; check the "
                            "clocks of both machines",
                            format_duration(kHookToleranceMs)));
}

Result<HookIdentity> verify_standard(const HookRequest& request, std::string_view signatures,
                                     std::span<const std::string> secrets) {
  const auto id = one_value(request, kId);
  if (!id) return std::unexpected(id.error());
  const auto timestamp = one_value(request, kTimestamp);
  if (!timestamp) return std::unexpected(timestamp.error());
  if (!id->is_set)
    return refuse("signature_missing", kId, "webhook-id is missing; it is signed too");
  // With a dot, the border between id and timestamp would be ambiguous.
  if (!is_id(id->text) || id->text.contains('.')) {
    return invalid(kId, fmt::format("webhook-id must have 1 to {} visible characters and no dot",
                                    kHookIdBytesMax));
  }
  if (auto ok = check_timestamp(*timestamp, request.now); !ok) {
    return std::unexpected(std::move(ok.error()));
  }
  const std::vector<std::string_view> words = words_of(signatures);
  if (words.size() > kHookSignaturesMax) {
    return invalid(kStandard, fmt::format("webhook-signature has more than {} signatures",
                                          kHookSignaturesMax));
  }
  const std::string content = fmt::format("{}.{}.{}", id->text, timestamp->text, request.body);
  bool found = false;
  for (const std::string& secret : secrets) {
    const std::string key = standard_key(secret);
    if (key.empty()) continue;
    const std::string expected = "v1," + base64(mac_of(key, content));
    for (const std::string_view word : words) found |= is_same(word, expected);
  }
  if (!found) return invalid(kStandard, "no signature in webhook-signature fits a secret");
  return HookIdentity{HookStyle::standard_webhooks, "id:" + std::string(id->text)};
}

// The replay key of a style whose signature does not cover an id.
Result<std::string> unsigned_key(const HookRequest& request, std::string_view signature_hex) {
  for (const auto& [header, prefix] : {std::pair(kId, "id:"), std::pair(kDelivery, "delivery:")}) {
    const auto value = one_value(request, header);
    if (!value) return std::unexpected(value.error());
    if (value->text.empty()) continue;
    if (!is_id(value->text)) {
      return invalid(
          header, fmt::format("{} must have 1 to {} visible characters", header, kHookIdBytesMax));
    }
    return prefix + std::string(value->text);
  }
  std::string lower(signature_hex);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c;
  });
  return "signature:" + lower;
}

Result<HookIdentity> verify_hex(const HookRequest& request, HookStyle style,
                                std::string_view header, std::string_view value,
                                std::span<const std::string> secrets) {
  std::string_view hex = value;
  const bool has_prefix = hex.starts_with(kHexPrefix);
  if (has_prefix) hex.remove_prefix(kHexPrefix.size());
  const std::string given = bytes_of_hex(hex);
  if (given.empty() || (style == HookStyle::github && !has_prefix)) {
    return invalid(header, fmt::format("{} must be {}sha256= and 64 hex digits", header,
                                       style == HookStyle::github ? "" : "64 hex digits, or "));
  }
  bool found = false;
  for (const std::string& secret : secrets) {
    if (!secret.empty()) found |= is_same(given, mac_of(secret, request.body));
  }
  if (!found) return invalid(header, fmt::format("the signature in {} fits no secret", header));
  auto key = unsigned_key(request, hex);
  if (!key) return std::unexpected(std::move(key.error()));
  return HookIdentity{style, std::move(*key)};
}

std::unexpected<Error> not_signed() {
  return refuse("signature_missing", kGithub,
                "the request has no signature; sign the body with HMAC-SHA256 and send it as "
                "X-Hub-Signature-256, webhook-signature or X-Signature");
}

}  // namespace

Result<> check_signed(const HookRequest& request) {
  for (const std::string_view header : {kStandard, kGithub, kPlain}) {
    if (!request.headers(header).empty()) return {};
  }
  return not_signed();
}

Result<HookIdentity> verify_hook(const HookRequest& request, std::span<const std::string> secrets) {
  if (std::ranges::all_of(secrets, &std::string::empty)) {
    return fail(ErrorCode::unavailable, "no_secret",
                "this hook has no secret, so it accepts nothing");
  }
  for (const auto& [style, header] :
       {std::pair(HookStyle::standard_webhooks, kStandard), std::pair(HookStyle::github, kGithub),
        std::pair(HookStyle::x_signature, kPlain)}) {
    const auto value = one_value(request, header);
    if (!value) return std::unexpected(value.error());
    if (!value->is_set) continue;
    if (style == HookStyle::standard_webhooks)
      return verify_standard(request, value->text, secrets);
    return verify_hex(request, style, header, value->text, secrets);
  }
  return not_signed();
}

bool is_malformed_secret(std::string_view secret) {
  return secret.starts_with(kSecretPrefix) && standard_key(secret).empty();
}

}  // namespace drover::triggers
