#include "dispatch/files/run_end.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/crash_point.h"
#include "base/fd.h"
#include "base/limits.h"
#include "run/event_data.h"
#include "run/record_json.h"

namespace drover::dispatch {
namespace {

namespace json = boost::json;

std::string text_in(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
}

}  // namespace

bool needs_end_file(const run::Record& record, bool composite) {
  return composite || record.started_at == 0 || record.state == run::State::abandoned;
}

Result<> write_end(const Home& home, const run::Record& record,
                   std::span<const run::Event> events) {
  crash_point("end.file_to_write");
  json::object end = run::describe_end(record);
  if (!record.phase.empty()) end["phase"] = record.phase;
  for (const run::Event& event : events) {
    const bool is_of_phase = event.run_id == record.id && !event.type.starts_with("run.");
    if (is_of_phase) end["phase_event"] = event.type;
  }
  if (auto made = make_private_directory(home.run_directory(record.id)); !made) return made;
  auto written = replace_file(home.run_end(record.id), json::serialize(end));
  crash_point("end.file_written");
  return written;
}

std::optional<run::KnownEnd> read_end(const Home& home, const RunId& id) {
  const auto text = read_regular_file(home.run_end(id), limits::kRunEndBytesMax);
  if (!text) return std::nullopt;
  run::Event event;
  event.run_id = id;
  event.data = *text;
  const json::object data = run::data_of(event);
  if (!data.contains("state")) return std::nullopt;
  run::KnownEnd end{.record = run::record_of(event)};
  end.record.phase = text_in(data, "phase");
  end.phase_event = text_in(data, "phase_event");
  return end;
}

}  // namespace drover::dispatch
