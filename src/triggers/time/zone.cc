#include "triggers/time/zone.h"

#include <date/tz.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <utility>

#include "base/fnv.h"
#include "base/text.h"
#include "triggers/time/limits.h"
#include "triggers/time/similar_names.h"
#include "triggers/time/zone_file.h"
#include "triggers/time/zone_rule.h"

namespace drover::triggers {
namespace {

std::string database() {
  const char* set = std::getenv("TZDIR");
  return (set == nullptr || *set != '/' ? std::string("/usr/share/zoneinfo") : std::string(set)) +
         "/";
}
// A link to the zone of this machine: a stored schedule must not depend on where the machine is.
constexpr std::string_view kMachineZone = "localtime";

// Nothing: the file is missing or cannot be read.
std::optional<std::string> read_file_of(const std::string& zone) {
  std::ifstream file(database() + zone, std::ios::binary);
  if (!file) return std::nullopt;
  std::string bytes(kZoneFileBytesMax, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

// The last line of the file.
std::string rule_text(std::string bytes) {
  if (!bytes.ends_with('\n')) return {};
  bytes.pop_back();
  return bytes.substr(bytes.rfind('\n') + 1);
}

// Changes that the file lists, and those that its rule makes until 2200. Nothing: it is damaged.
std::optional<Offsets> offsets_in(const std::string& bytes) {
  auto changes = listed_changes(bytes);
  if (!changes) return std::nullopt;
  const auto rule = parse_zone_rule(rule_text(bytes));
  if (!rule) return Offsets(std::move(*changes));
  const UnixS listed_until = changes->back().at;
  const date::year_month_day last_day{
      date::floor<date::days>(date::sys_seconds(std::chrono::seconds(listed_until)))};
  for (int year = static_cast<int>(last_day.year()); year < 2200; ++year) {
    for (const OffsetChange& change : rule->changes(year)) {
      if (change.at > listed_until) changes->push_back(change);
    }
  }
  return Offsets(std::move(*changes));
}

std::optional<Zone> zone_in(const std::string& name, const std::string& bytes) {
  auto offsets = offsets_in(bytes);
  if (!offsets) return std::nullopt;
  return Zone(name, std::move(*offsets), fmt::format("{} {:016x}", name, fnv(bytes)));
}

// The zones that were read, by name. At most as many as the database has, about 600.
struct Table {
  std::mutex mutex;
  std::map<std::string, Zone, std::less<>> zones;
};
Table& table() {
  static Table one;
  return one;
}

}  // namespace

Zone::Zone() {
  static const auto utc = std::make_shared<const Data>(Data{"UTC", Offsets(), ""});
  data_ = utc;
}
Zone::Zone(std::string name, Offsets offsets, std::string version)
    : data_(std::make_shared<const Data>(
          Data{std::move(name), std::move(offsets), std::move(version)})) {}

std::vector<std::string> zone_names() {
  std::vector<std::string> out;
  try {
    for (const date::time_zone& zone : date::get_tzdb().zones) {
      if (zone.name() != kMachineZone) out.push_back(zone.name());
    }
  } catch (const std::exception&) {
    out.clear();  // The directory is missing or cannot be read.
  }
  return out;
}

Result<Zone> find_zone(std::string_view name) {
  if (name.empty() || name == "UTC") return Zone();
  const std::lock_guard lock(table().mutex);
  if (const auto known = table().zones.find(name); known != table().zones.end()) {
    return known->second;
  }
  const std::vector<std::string> names = zone_names();
  if (names.empty()) {
    return fail(
        ErrorCode::unavailable, "no_tz_database",
        "cannot read the tz database in " + database() + ": install the package tzdata, or use UTC",
        "tz");
  }
  if (!std::ranges::binary_search(names, name)) {
    std::string similar;
    for (const std::string& near : similar_names(name.substr(0, kZoneBytesMax), names)) {
      similar += (similar.empty() ? "; did you mean " : ", ") + near;
    }
    return fail(ErrorCode::invalid, "unknown_zone",
                "unknown time zone \"" + bounded(name, kZoneBytesMax) +
                    "\": use a name of the tz database, such as Europe/Berlin" +
                    (similar.empty() ? "" : similar + "?"),
                "tz");
  }
  const auto bytes = read_file_of(std::string(name));
  auto read = bytes ? zone_in(std::string(name), *bytes) : std::nullopt;
  if (!read) {
    return fail(ErrorCode::unavailable, "no_tz_database",
                "cannot read the time zone " + std::string(name) + " in " + database() +
                    "; install the package tzdata again",
                "tz");
  }
  return table().zones.emplace(std::string(name), std::move(*read)).first->second;
}

void reread_zones() {
  const std::lock_guard lock(table().mutex);
  for (auto& [name, zone] : table().zones) {
    // A file that is missing or damaged is being replaced: the data stays.
    const auto bytes = read_file_of(name);
    auto read = bytes ? zone_in(name, *bytes) : std::nullopt;
    if (read && read->version() != zone.version()) zone = std::move(*read);
  }
}

}  // namespace drover::triggers
