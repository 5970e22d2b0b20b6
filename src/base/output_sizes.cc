#include "base/output_sizes.h"

#include <algorithm>

#include "base/output_segments.h"

namespace drover {

Result<OutputSizes> output_sizes(const std::string& path) {
  OutputSegments segments(path);
  if (auto ok = segments.refresh(); !ok) return std::unexpected(ok.error());
  OutputSizes sizes;
  for (const std::uint64_t number : segments.numbers()) {
    const auto segment = segments.open(number);
    if (!segment) return std::unexpected(segment.error());
    if (*segment == nullptr) continue;
    for (std::uint64_t i = 0; i < (*segment)->records; ++i) {
      const auto record = segments.record(**segment, i);
      if (!record) return std::unexpected(record.error());
      const std::uint64_t end = std::min(record->offset + record->length, (*segment)->end());
      const std::uint64_t bytes = end - std::min(end, record->offset);  // A power cut loses bytes.
      (record->stream == static_cast<std::uint16_t>(Stream::err) ? sizes.err : sizes.out) += bytes;
    }
  }
  return sizes;
}

}  // namespace drover
