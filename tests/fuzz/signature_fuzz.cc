// Fuzzes the headers and the body of a webhook. A line is a header, until an empty one; the rest is
// the body. @HEX@ and @WORD@ stand for the right signatures of this body in the two kinds of
// styles: only a request that contains one of them may be accepted.
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "triggers/hooks/limits.h"
#include "triggers/hooks/signature.h"

namespace {

using namespace drover::triggers;
constexpr std::string_view kSecret = "the secret of this webhook";
constexpr drover::WallMs kNow = 1'800'000'000'000;

std::string mac_of(std::string_view content) {
  std::string out(32, '\0');
  unsigned int size = 0;
  ::HMAC(::EVP_sha256(), kSecret.data(), static_cast<int>(kSecret.size()),
         reinterpret_cast<const unsigned char*>(content.data()), content.size(),
         reinterpret_cast<unsigned char*>(out.data()), &size);
  return out;
}

std::string hex_of(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

// Whether there was one.
bool replace(std::string& text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  if (at == text.npos) return false;
  text.replace(at, from.size(), to);
  return true;
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

using Headers = std::vector<std::pair<std::string, std::string>>;

std::string value_of(const Headers& headers, std::string_view name) {
  for (const auto& [known, value] : headers) {
    if (lower(known) == name) return value;
  }
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  Headers headers;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.empty()) break;
    const size_t colon = std::min(line.find(": "), line.size());
    headers.emplace_back(line.substr(0, colon), line.substr(std::min(colon + 2, line.size())));
  }
  const std::string_view body = rest;
  const std::string content = value_of(headers, "webhook-id") + "." +
                              value_of(headers, "webhook-timestamp") + "." + std::string(body);
  bool is_signed = false;
  for (auto& [name, value] : headers) {
    is_signed |= replace(value, "@HEX@", hex_of(mac_of(body)));
    is_signed |= replace(value, "@WORD@", "v1," + drover::base64(mac_of(content)));
  }
  const HookRequest request{.headers =
                                [&](std::string_view wanted) {
                                  std::vector<std::string_view> out;
                                  for (const auto& [name, value] : headers) {
                                    if (lower(name) == wanted) out.push_back(value);
                                  }
                                  return out;
                                },
                            .body = body,
                            .now = kNow};
  const auto identity =
      verify_hook(request, std::vector<std::string>{"another", std::string(kSecret)});
  if (identity) {
    if (!is_signed || identity->replay_key.empty() || !check_signed(request)) std::abort();
    if (identity->replay_key.size() > kHookIdBytesMax + 16) std::abort();
  } else {
    const bool tells = identity.error().message.find(kSecret) != std::string::npos ||
                       identity.error().message.find(hex_of(mac_of(body))) != std::string::npos;
    if (tells || identity.error().reason.empty()) std::abort();
  }
  return 0;
}
