#include "triggers/events/event_digest.h"

#include <openssl/sha.h>

#include <array>

namespace drover::triggers {

std::string digest_of(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string out;
  for (size_t i = 0; i < 16; ++i) {
    out += "0123456789abcdef"[digest[i] >> 4];
    out += "0123456789abcdef"[digest[i] & 15];
  }
  return out;
}

std::string event_id_of(const std::string& trigger, std::string_view key) {
  return "evt_" + digest_of(trigger + "\n" + std::string(key));
}

}  // namespace drover::triggers
