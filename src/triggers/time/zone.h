// A Zone is a time zone of the system's tz database, by its IANA name: "Europe/Berlin". A small
// handle; its data is immutable, shared by all handles and kept until the program exits. Any thread
// may use it.
//
// A zone is read once, and again by `reread_zones` if an update of the system has changed its file;
// handles that exist keep the old data. triggers/time/due.h says what then happens to stored times.
// UTC needs no database. The database is in the directory $TZDIR, if set, or /usr/share/zoneinfo.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "triggers/time/offsets.h"

namespace drover::triggers {

class Zone {
 public:
  Zone();  // UTC.
  Zone(std::string name, Offsets offsets, std::string version = {});

  const std::string& name() const { return data_->name; }
  const Offsets& offsets() const { return data_->offsets; }
  // Name and digest of the data: another one for other data. Empty: UTC, which does not change.
  const std::string& version() const { return data_->version; }

  bool operator==(const Zone& other) const { return name() == other.name(); }

 private:
  struct Data {
    std::string name;
    Offsets offsets;
    std::string version;
  };
  std::shared_ptr<const Data> data_;  // Owned by the table of zones that were read, and by handles.
};

// The zone with this name; empty: UTC. An unknown name is refused (`unknown_zone`, parameter "tz")
// with similar names; a system without a tz database is `no_tz_database`.
Result<Zone> find_zone(std::string_view name);

// Reads zones whose files have changed. Only a program that stores times calls it.
void reread_zones();

// All names of the database, sorted; empty if the system has none.
std::vector<std::string> zone_names();

}  // namespace drover::triggers
