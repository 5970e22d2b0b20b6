#include "triggers/time/zone_file.h"

#include <array>
#include <cstdint>

#include "triggers/time/limits.h"

namespace drover::triggers {
namespace {

constexpr size_t kHeaderBytes = 44;
constexpr size_t kTypeBytes = 6;

// The lowest byte is the last one.
std::int64_t number_at(std::string_view bytes, size_t from, size_t size) {
  std::uint64_t out = 0;
  for (size_t i = 0; i < size; ++i) {
    out = out << 8 | static_cast<unsigned char>(bytes[from + i]);
  }
  return size == 4 ? static_cast<std::int32_t>(out) : static_cast<std::int64_t>(out);
}

struct Header {
  // Of the six kinds of things after it: UT indicators, standard indicators, leap seconds, changes,
  // types, letters.
  std::array<size_t, 6> counts{};
  size_t bytes(size_t time_bytes) const {
    return counts[0] + counts[1] + counts[2] * (time_bytes + 4) + counts[3] * (time_bytes + 1) +
           counts[4] * kTypeBytes + counts[5];
  }
};

std::optional<Header> header_at(std::string_view file, size_t from) {
  if (file.size() < from + kHeaderBytes || file.substr(from, 4) != "TZif") return std::nullopt;
  if (file[from + 4] < '2') return std::nullopt;
  Header out;
  for (size_t i = 0; i < out.counts.size(); ++i) {
    const std::int64_t count = number_at(file, from + 20 + 4 * i, 4);
    if (count < 0 || count > static_cast<std::int64_t>(kZoneFileBytesMax)) return std::nullopt;
    out.counts[i] = static_cast<size_t>(count);
  }
  return out;
}

}  // namespace

std::optional<std::vector<OffsetChange>> listed_changes(std::string_view file) {
  const auto old = header_at(file, 0);
  if (!old) return std::nullopt;
  const size_t begin = kHeaderBytes + old->bytes(4);
  const auto header = header_at(file, begin);
  if (!header) return std::nullopt;
  const size_t times = begin + kHeaderBytes;
  const size_t count = header->counts[3];
  const size_t types = times + count * 9;
  if (header->counts[4] == 0 || file.size() < begin + kHeaderBytes + header->bytes(8)) {
    return std::nullopt;
  }
  std::vector<OffsetChange> out{{.at = 0, .offset_s = number_at(file, types, 4)}};
  for (size_t i = 0; i < count; ++i) {
    const UnixS at = number_at(file, times + i * 8, 8);
    const auto type = static_cast<unsigned char>(file[times + count * 8 + i]);
    if (type >= header->counts[4]) return std::nullopt;
    const std::int64_t offset = number_at(file, types + type * kTypeBytes, 4);
    if (at >= kTimeEndS || (i > 0 && at <= number_at(file, times + (i - 1) * 8, 8))) break;
    if (at <= 0) {
      out.front().offset_s = offset;
    } else {
      out.push_back({.at = at, .offset_s = offset});
    }
  }
  return out;
}

}  // namespace drover::triggers
