// A webhook's secret for tests, and the header that signs a body with it.
#pragma once

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <fstream>
#include <string>
#include <string_view>

#include <sys/stat.h>

namespace drover::api {

inline constexpr std::string_view kHookSecret = "a secret of this test";

inline std::string signature_of(std::string_view body) {
  std::array<unsigned char, 32> mac{};
  unsigned int size = 0;
  ::HMAC(::EVP_sha256(), kHookSecret.data(), static_cast<int>(kHookSecret.size()),
         reinterpret_cast<const unsigned char*>(body.data()), body.size(), mac.data(), &size);
  std::string out = "X-Hub-Signature-256: sha256=";
  for (const unsigned char byte : mac) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out + "\r\n";
}

// Writes the secret to that file, and returns the body of a request that adds a webhook with it.
inline std::string hook_with_secret_in(const std::string& file, std::string_view name,
                                       std::string_view path) {
  std::ofstream(file) << kHookSecret;
  ::chmod(file.c_str(), 0600);
  return R"({"name":")" + std::string(name) + R"(","source":{"type":"webhook","path":")" +
         std::string(path) + R"(","secret":"file:)" + file +
         R"("},"overlap":"queue","run":{"command":["true"]}})";
}

}  // namespace drover::api
