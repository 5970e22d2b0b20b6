// Seals: what makes a text hard to guess and easy to check. Thin words for the few things we take
// from OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace drover::access {

std::string sha256_hex(std::string_view text);

// HMAC-SHA256, its first 160 bits in hex: more than anybody can try.
std::string mac_of(std::string_view key, std::string_view text);

// In a time that says nothing about where they differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace drover::access
