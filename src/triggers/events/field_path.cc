#include "triggers/events/field_path.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/text.h"
#include "triggers/events/limits.h"

namespace drover::triggers {
namespace {

std::optional<size_t> index_of(std::string_view part) {
  if (part.size() > 1 && part.front() == '0') return std::nullopt;
  size_t index = 0;
  const auto [end, wrong] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (wrong != std::errc{} || end != part.data() + part.size()) return std::nullopt;
  return index;
}

}  // namespace

Result<FieldPath> FieldPath::parse(std::string_view text, std::string_view param) {
  const auto bad = [&](std::string_view why) {
    return fail(ErrorCode::invalid, "invalid_path",
                fmt::format("invalid field \"{}\": {}", bounded(text, 80), why),
                std::string(param));
  };
  if (text.empty()) return bad("name a field such as payload.size");
  if (text.size() > kFilterFieldBytesMax) {
    return bad(fmt::format("a field has at most {} bytes", kFilterFieldBytesMax));
  }
  if (!is_utf8(text)) return bad("it is not UTF-8");
  FieldPath out;
  out.text_ = text;
  out.parts_.emplace_back();
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
      if (at == text.size() || (text[at] != '.' && text[at] != '\\')) {
        return bad("after a backslash only a dot or a backslash can follow");
      }
      out.parts_.back() += text[at];
    } else if (text[at] == '.') {
      out.parts_.emplace_back();
    } else {
      out.parts_.back() += text[at];
    }
  }
  for (const std::string& part : out.parts_) {
    if (part.empty()) return bad("a part between two dots is empty; write \\. for a dot in a key");
  }
  if (out.parts_.size() > kFilterFieldPartsMax) {
    return bad(fmt::format("a field has at most {} parts", kFilterFieldPartsMax));
  }
  return out;
}

const boost::json::value* FieldPath::find_in(const boost::json::value& document) const {
  const boost::json::value* at = &document;
  for (const std::string& part : parts_) {
    if (const auto* object = at->if_object()) {
      at = object->if_contains(part);
    } else if (const auto* array = at->if_array()) {
      const auto index = index_of(part);
      at = index ? array->if_contains(*index) : nullptr;
    } else {
      at = nullptr;
    }
    if (at == nullptr) return nullptr;
  }
  return at;
}

}  // namespace drover::triggers
