#include "spine/tally.h"

#include <boost/json/parse.hpp>

namespace drover::spine {
namespace {

double seconds(WallMs from, WallMs to) {
  return static_cast<double>(to - from) / 1000;
}

}  // namespace

void Tally::see(const store::Written& written, std::int64_t counted) {
  for (const run::Event& event : written.events) {
    if (event.seq <= counted) continue;
    if (event.run_id == written.record.id) see(event, written.record);
    for (const run::Record& other : written.also) {
      if (event.run_id == other.id) see(event, other);
    }
  }
}

void Tally::see(const run::Event& event, const run::Record& record) {
  using run::EventType;
  if (event.type == name(EventType::queued)) {
    ++kinds[record.kind].submitted;
  } else if (record.lane.empty() && !event.is_final) {
    // A composite never waits for a slot and is never spawned: it would distort the numbers.
  } else if (event.type == name(EventType::starting)) {
    queue_wait.add(seconds(record.queued_at, event.time));
  } else if (event.type == name(EventType::started)) {
    start_latency.add(seconds(record.queued_at, event.time));
  } else if (event.type == name(EventType::cancel_requested)) {
    canceling_[event.run_id] = event.time;
  } else if (event.type == name(EventType::deleted)) {
    ++deleted;
  }
  if (!event.is_final) return;
  Kind& kind = kinds[record.kind];
  ++kind.ended[static_cast<size_t>(record.state)];
  if (record.started_at != 0) kind.duration.add(seconds(record.started_at, record.finished_at));
  output_bytes += static_cast<std::uint64_t>(record.stdout_bytes + record.stderr_bytes);
  see_receipt(record.receipt);
  if (const auto asked = canceling_.find(event.run_id); asked != canceling_.end()) {
    cancel_duration[std::string(run::name(record.state))].add(seconds(asked->second, event.time));
    canceling_.erase(asked);
  }
}

void Tally::see_receipt(const std::string& receipt) {
  boost::system::error_code bad;
  const boost::json::value value = boost::json::parse(receipt, bad);
  const auto* object = bad ? nullptr : value.if_object();
  if (object == nullptr) return;
  const auto count = [&](const char* name) -> std::uint64_t {
    const boost::json::value* number = object->if_contains(name);
    if (number == nullptr || !number->is_int64() || number->get_int64() < 0) return 0;
    return static_cast<std::uint64_t>(number->get_int64());
  };
  orphans += count("orphans");
  dropped_bytes += count("dropped_bytes");
}

void Tally::appended(double seconds, size_t count) {
  append.add(seconds);
  events += count;
}

}  // namespace drover::spine
