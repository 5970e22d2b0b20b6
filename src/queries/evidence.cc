#include "queries/evidence.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>

#include "access/launchers.h"
#include "base/limits.h"
#include "queries/resolve.h"

namespace drover::queries {
namespace {

// Kinds of runs that are made of others and have no process of their own. Their parts have handles.
constexpr auto kWithoutProcess = std::to_array<std::string_view>({"play"});

}  // namespace

boost::json::object describe_status(const run::PermanentStatus& status) {
  boost::json::object body = status.describe(access::kLaunchers);
  const std::string id(body.at("run_id").as_string());
  if (std::ranges::find(kWithoutProcess, status.kind()) != kWithoutProcess.end()) {
    body["launched_at"] = nullptr;
  }
  body["links"] = {{"timeline", "/_ref/runs/" + id + "/timeline"}};
  return body;
}

Result<store::StoredRun> find_evidence(store::Reads& store, std::string_view text) {
  const auto id = resolve(store, text);
  if (!id) return std::unexpected(id.error());
  auto found = store::find_stored_run(store, *id);
  if (!found) return std::unexpected(found.error());
  if (!*found) return no_such_run(text);
  return std::move(**found);
}

Result<run::PermanentStatus> read_permanent_status(store::Reads& store, std::string_view text) {
  const auto id = RunId::parse(text);
  if (!id) return no_such_run(text);
  run::PermanentStatus status;
  store::EventQuery query{.run = *id, .limit = limits::kTimelineDefault};
  while (true) {
    auto events = store.events(query);
    if (!events) return std::unexpected(events.error());
    for (const run::Event& event : *events) status.see(event);
    if (events->size() < query.limit) break;
    query.after = events->back().seq;
  }
  if (!status.known()) return no_such_run(text);
  return status;
}

Result<run::Record> last_attempt(store::Reads& store, run::Record record) {
  auto next = RunId::parse(record.retried_by);
  while (next) {
    auto found = store::find_stored_run(store, *next);
    if (!found) return std::unexpected(found.error());
    if (!*found) break;
    next = RunId::parse((*found)->record.retried_by);
    if (!(*found)->deleted) record = std::move((*found)->record);
  }
  return record;
}

}  // namespace drover::queries
