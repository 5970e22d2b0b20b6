// Seals are MACs that make a text hard to forge and easy to check: a thin layer over the few
// functions that we use from OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace drover::access {

std::string sha256_hex(std::string_view text);

// The first 160 bits of the HMAC-SHA256, in hex: too many to guess.
std::string mac_of(std::string_view key, std::string_view text);

// Compares in a time that does not depend on where they differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace drover::access
