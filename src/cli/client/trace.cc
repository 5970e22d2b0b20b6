#include "cli/client/trace.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace drover::cli {

std::string own_traceparent() {
  constexpr size_t kSizeMax = 256;
  const char* given = std::getenv("TRACEPARENT");
  const std::string_view text = given == nullptr ? "" : given;
  const bool harmless = text.size() <= kSizeMax && std::ranges::all_of(text, [](char c) {
                          return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-';
                        });
  return harmless ? std::string(text) : "";
}

}  // namespace drover::cli
