// A digest names an event by its content, so that the same event has the same id whenever it
// arrives. Pure.
#pragma once

#include <string>
#include <string_view>

namespace drover::triggers {

// 32 hexadecimal digits of a SHA-256.
std::string digest_of(std::string_view text);

// The id of an event that its source names itself, by `key`: a delivery, an item of a feed. The
// same one has the same id whenever it arrives, so the ledger has one occurrence for it.
std::string event_id_of(const std::string& trigger, std::string_view key);

}  // namespace drover::triggers
