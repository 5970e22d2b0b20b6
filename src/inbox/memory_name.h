// A MemoryName names one memory (memory.h) and says who may use it: "user", "space/NAME" or
// "app/NAME". Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "access/grant.h"
#include "base/result.h"

namespace drover::inbox {

struct MemoryName {
  std::string text;
  // Refused: `not_found`, as for a memory that the caller may not see.
  static Result<MemoryName> parse(std::string_view text);
};

// A name of a file: 1 to kMemoryNameBytesMax letters, digits, '_', '-' or '.'; it begins with
// neither '.' nor '-'.
bool is_plain_name(std::string_view name);

enum class MemoryAccess : std::uint8_t { none, read, write };
// The owner, and tokens for every scope, write all of them. Others write those of their scope,
// `app/NAME` or `space/NAME`, and of runs of apps also read the user's.
MemoryAccess access_to(const access::Grant& grant, const MemoryName& name);

}  // namespace drover::inbox
