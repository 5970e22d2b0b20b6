#include "triggers/files/snapshot_store.h"

#include <algorithm>

#include "base/text.h"

namespace drover::triggers {
namespace {

constexpr std::int64_t kParts = Snapshot::kParts;
constexpr std::int64_t kPlaces = 2 * kParts;

std::int64_t row_of(size_t part, char place) {
  return static_cast<std::int64_t>(part) + (place == 'B' ? kParts : 0);
}

StatePart row_for(const SnapshotPart& part, char place) {
  return {row_of(part.index, place), part.bytes.empty() ? "" : base64(part.bytes)};
}

}  // namespace

std::string initial_places() {
  return std::string(static_cast<size_t>(kParts), 'A');
}

std::string places_in(const std::vector<StatePart>& rows) {
  for (const StatePart& row : rows) {
    if (row.part == kPlaces && row.state.size() == Snapshot::kParts) return row.state;
  }
  return initial_places();
}

std::vector<std::string> stored_records(const std::vector<StatePart>& rows) {
  const std::string places = places_in(rows);
  std::vector<std::string> out;
  for (const StatePart& row : rows) {
    if (row.part >= kPlaces) continue;
    const size_t part = static_cast<size_t>(row.part % kParts);
    if (row.part != row_of(part, places[part])) continue;
    out.push_back(unbase64(row.state).value_or(""));
  }
  return out;
}

SnapshotWrites writes_for(const std::vector<SnapshotPart>& parts, std::string& places,
                          size_t bytes_max) {
  SnapshotWrites out;
  size_t bytes = 0;
  for (const SnapshotPart& part : parts) bytes += part.bytes.size();
  if (bytes <= bytes_max) {
    for (const SnapshotPart& part : parts) {
      out.with_event.push_back(row_for(part, places[part.index]));
    }
    return out;
  }
  size_t open = bytes_max;  // Of the last commit; full at first.
  for (const SnapshotPart& part : parts) {
    if (open + part.bytes.size() > bytes_max) {
      out.before.emplace_back();
      open = 0;
    }
    open += part.bytes.size();
    char& place = places[part.index];
    place = place == 'A' ? 'B' : 'A';
    out.before.back().push_back(row_for(part, place));
  }
  out.with_event.push_back({kPlaces, places});
  return out;
}

}  // namespace drover::triggers
