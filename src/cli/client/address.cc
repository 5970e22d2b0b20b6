#include "cli/client/address.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace drover::cli {
namespace {

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

void encode(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto byte = static_cast<std::uint8_t>(c);
  out += '%';
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

}  // namespace

std::string path_segment(std::string_view text) {
  const bool walks = text == "." || text == "..";  // Would be read as a relative path.
  std::string out;
  for (const char c : text) {
    if (!walks && (is_unreserved(c) || c == '@' || c == ':' || c == '=')) {
      out += c;
    } else {
      encode(out, c);
    }
  }
  return out;
}

std::string query_value(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c) || c == '/' || c == ':' || c == '@') {
      out += c;
    } else {
      encode(out, c);
    }
  }
  return out;
}

Result<std::string> address(const wire::Operation& operation, std::string_view segment,
                            const Pairs& query) {
  std::string out(operation.path);
  if (const size_t open = out.find('{'); open != std::string::npos) {
    const size_t close = out.find('}', open);
    const std::string what = out.substr(open + 1, close - open - 1);
    if (segment.empty()) {
      return fail(ErrorCode::not_found, "not_found",
                  "an empty " + what + " names nothing; `drover ps` lists the runs", what);
    }
    out.replace(open, close - open + 1, path_segment(segment));
  }
  char glue = '?';
  for (const auto& [name, value] : query) {
    assert(std::ranges::any_of(operation.query, [&](const auto& p) { return p.name == name; }));
    out += glue;
    out += name;
    out += '=';
    out += query_value(value);
    glue = '&';
  }
  return out;
}

}  // namespace drover::cli
