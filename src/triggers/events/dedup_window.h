// Dedup windows are stored as rows of the table `trigger_windows`; dedup.h decides with them.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "triggers/events/dedup.h"
#include "triggers/events/envelope.h"

namespace drover::triggers {

// Keys of different producers are different.
inline std::string window_key(const EventEnvelope& event) {
  return event.producer + "\n" + event.dedup_key;
}

// `from` is a Transaction or Reads.
template <class From>
Result<std::optional<DedupWindow>> find_window(From& from, const std::string& trigger,
                                               const std::string& key) {
  const auto rows =
      from.query("SELECT began_at, event_id FROM trigger_windows WHERE name = $1 AND key = $2",
                 {trigger, key});
  if (!rows) return std::unexpected(rows.error());
  if (rows->empty()) return std::nullopt;
  return DedupWindow{rows->front()[0].integer(), rows->front()[1].text()};
}

}  // namespace drover::triggers
