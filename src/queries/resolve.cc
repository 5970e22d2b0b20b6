#include "queries/resolve.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "base/text.h"
#include "queries/evidence.h"
#include "run/kind.h"
#include "run/record_json.h"
#include "store/stored_run.h"

namespace drover::queries {
namespace {

// The newest run that failed, timed out or was abandoned. Canceled runs do not count: a person
// asked for that. A run that was retried does not count either: its last attempt does.
Result<RunId> newest_failed(store::Reads& store, const std::string& scope) {
  std::optional<run::Record> newest;
  for (const run::State state :
       {run::State::failed, run::State::timed_out, run::State::abandoned}) {
    store::Query query;
    query.limit = 1;
    query.state = state;
    query.latest_only = true;
    query.scope = scope;
    auto records = store.list(query);
    if (!records) return std::unexpected(records.error());
    if (records->empty() || (newest && newest->number > records->front().number)) continue;
    newest = std::move(records->front());
  }
  if (newest) return newest->id;
  return fail(ErrorCode::not_found, "not_found",
              "@failed matches nothing: no run has failed, or each was retried since", "run_id");
}

Result<RunId> newest(store::Reads& store, const std::string& scope) {
  store::Query query;
  query.limit = 1;
  query.scope = scope;
  auto records = store.list(query);
  if (!records) return std::unexpected(records.error());
  if (records->empty()) {
    return fail(ErrorCode::not_found, "not_found", "there is no run yet: @last matches nothing",
                "run_id");
  }
  return records->front().id;
}

std::unexpected<Error> ambiguous(std::string_view text, const std::vector<RunId>& ids,
                                 std::string_view reason, std::string_view advice,
                                 std::string_view why = "") {
  constexpr size_t kShown = 3;
  std::string message =
      std::string(text) + (why.empty() ? " is ambiguous:" : ": " + std::string(why) + ":");
  for (size_t i = 0; i < std::min(ids.size(), kShown); ++i) {
    message.append(i == 0 ? " " : ", ").append(ids[i].view());
  }
  if (ids.size() > kShown) message += " or others";
  return fail(ErrorCode::conflict, std::string(reason), message.append("; ").append(advice),
              "run_id");
}

// The scope of a run, even if its record was deleted. Empty: there is no such run.
Result<std::optional<std::string>> scope_of(store::Reads& store, const RunId& id) {
  auto found = store::find_stored_run(store, id);
  if (!found) return std::unexpected(found.error());
  if (!*found) return std::nullopt;
  return std::move((*found)->record.scope);
}

constexpr size_t kSharedPrefix = 64;  // If more ids share the prefix, a longer prefix is needed.
constexpr size_t kLookedFor = 4;      // The error names three and says if there are more.

using Ids = std::vector<RunId>;

// The runs of that name in a scope. Of a retried run, only the latest attempt that still exists.
// Only names given by people count: Drover itself names plays and their steps, and reuses those
// names for each play.
Result<Ids> named(store::Reads& store, std::string_view name, std::string scope, bool scope_alone,
                  bool active_only) {
  const auto records = store.list({.active_only = active_only,
                                   .scope = std::move(scope),
                                   .scope_alone = scope_alone,
                                   .kind = std::string(run::kCommand),
                                   .name = std::string(name),
                                   .latest_only = true,
                                   .limit = kLookedFor});
  if (!records) return std::unexpected(records.error());
  Ids ids;
  for (const run::Record& record : *records) ids.push_back(record.id);
  return ids;
}

// The caller's own runs of that name: those in the scope where its new runs go by default.
Result<Ids> own_named(store::Reads& store, const access::Grant& grant, std::string_view name,
                      bool active_only) {
  return named(store, name, access::scope_for(grant, "").value_or(grant.scope), true, active_only);
}

// Whether the caller is a run of that name. A run that it starts under the same name is the one
// that it means then, even if that one has finished: a script must not wait for itself.
Result<bool> is_caller(store::Reads& store, const access::Grant& grant, std::string_view name) {
  if (!grant.run) return false;
  const auto self = store.find(*grant.run);
  if (!self) return std::unexpected(self.error());
  return *self && (*self)->name == name;
}

// Whether the caller can see this run.
Result<bool> sees(store::Reads& store, const access::Grant& grant, const RunId& id) {
  if (grant.is_owner) return true;
  const auto scope = scope_of(store, id);
  if (!scope) return std::unexpected(scope.error());
  return *scope && access::reaches(grant, {id, **scope});
}

// The runs whose ids begin with `text`, with or without run_.
Result<Ids> beginning(store::Reads& store, const access::Grant& grant, std::string_view text) {
  if (text.starts_with(RunId::kPrefix)) text.remove_prefix(RunId::kPrefix.size());
  const bool fits = !text.empty() && text.size() <= RunId::kSize - RunId::kPrefix.size() &&
                    std::ranges::all_of(text, [](char c) {
                      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
                    });
  if (!fits) return Ids{};
  auto ids = store.find_prefix(std::string(RunId::kPrefix).append(text),
                               grant.is_owner ? kLookedFor : kSharedPrefix);
  if (!ids || grant.is_owner) return ids;
  Ids own;
  for (const RunId& id : *ids) {
    const auto seen = sees(store, grant, id);
    if (!seen) return std::unexpected(seen.error());
    if (*seen) own.push_back(id);
  }
  return own;
}

// Of several runs with the name, the only active one. `search` returns the active ones.
template <class Search>
Result<RunId> the_only_named(std::string_view text, const Ids& ids, Search search) {
  if (ids.size() == 1) return ids.front();
  const Result<Ids> active = search();
  if (!active) return std::unexpected(active.error());
  if (active->size() == 1) return active->front();
  if (active->empty()) {
    return ambiguous(bounded(text, 64), ids, "ambiguous_name", "use an id",
                     "several finished runs have that name");
  }
  return ambiguous(bounded(text, 64), *active, "ambiguous_name", "use an id",
                   "several active runs have that name");
}

}  // namespace

std::unexpected<Error> no_such_run(std::string_view text) {
  return fail(ErrorCode::not_found, "not_found",
              "there is no run " + bounded(text, 64) + "; `drover ps -a` lists all runs", "run_id");
}

namespace {

// How a removed run ended, as `drover wait` needs it: the status does not contain the exit code.
boost::json::object describe_exit(const run::Record& record) {
  const boost::json::object end = run::describe_end(record);
  boost::json::object out;
  for (const char* field :
       {"state", "reason", "exit_code", "signal", "launch_step", "launch_error"}) {
    out[field] = end.at(field);
  }
  return out;
}

}  // namespace

std::unexpected<Error> no_such_run(store::Reads& store, std::string_view text) {
  const auto id = RunId::parse(text);
  const auto found = id ? store::find_stored_run(store, *id) : std::nullopt;
  if (!found || !*found || !(*found)->deleted) return no_such_run(text);
  auto error = fail(ErrorCode::not_found, "not_found",
                    std::string(text) + " was removed; `drover show --evidence " +
                        std::string(text) + "` prints its final state",
                    "run_id");
  const auto status = read_permanent_status(store, text);
  if (status) {
    boost::json::object details = describe_status(*status);
    details["end"] = describe_exit((*found)->record);
    error.error().details = boost::json::serialize(details);
  }
  return error;
}

Result<RunId> resolve(store::Reads& store, std::string_view text) {
  return resolve_within(store, access::owner_grant(), text);
}

Result<RunId> resolve_within(store::Reads& store, const access::Grant& grant,
                             std::string_view text) {
  if (auto id = RunId::parse(text)) {
    const auto seen = sees(store, grant, *id);
    if (!seen) return std::unexpected(seen.error());
    return *seen ? id : no_such_run(text);
  }
  const std::string scope = *access::narrowed(grant, "");
  if (text == "@last") return newest(store, scope);
  if (text == "@failed") return newest_failed(store, scope);
  if (text.empty()) return no_such_run(text);
  if (const auto whole = RunId::parse(std::string(RunId::kPrefix).append(text))) {
    const auto of = scope_of(store, *whole);
    if (!of) return std::unexpected(of.error());
    if (*of && (grant.is_owner || access::reaches(grant, {*whole, **of}))) return *whole;
  }
  const auto ids = beginning(store, grant, text);
  if (!ids) return std::unexpected(ids.error());
  const auto own = own_named(store, grant, text, false);
  if (!own) return std::unexpected(own.error());
  if (!own->empty()) {
    return the_only_named(text, *own, [&] { return own_named(store, grant, text, true); });
  }
  // A name given in another scope must not hide an id.
  auto others = named(store, text, scope, false, false);
  if (!others) return std::unexpected(others.error());
  if (others->empty()) {
    const auto self = is_caller(store, grant, text);
    if (!self) return std::unexpected(self.error());
    if (*self) return *grant.run;
  }
  if (others->empty() && ids->empty()) return no_such_run(text);
  if (others->empty() && ids->size() > 1) {
    return ambiguous(bounded(text, 64), *ids, "ambiguous_id", "type more of the id");
  }
  if (ids->empty()) {
    return the_only_named(text, *others, [&] { return named(store, text, scope, false, true); });
  }
  for (const RunId& id : *ids) {
    if (std::ranges::find(*others, id) == others->end()) others->push_back(id);
  }
  if (others->size() == 1) return others->front();
  return ambiguous(bounded(text, 64), *others, "ambiguous_name",
                   "it is both a name and the start of an id; use a whole id");
}

Result<run::Record> find_run(store::Reads& store, std::string_view text) {
  auto id = resolve(store, text);
  if (!id) return std::unexpected(id.error());
  auto record = store.find(*id);
  if (!record) return std::unexpected(record.error());
  if (!*record) return no_such_run(store, id->view());
  return std::move(**record);
}

}  // namespace drover::queries
