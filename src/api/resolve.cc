#include "api/resolve.h"

#include <algorithm>

#include "base/text.h"
#include "run/kind.h"
#include "session/session.h"
#include "store/dependencies.h"

namespace drover::api {
namespace {

// The newest of those that did not do what they were asked to; a cancel is what was asked for.
Result<RunId> newest_failed(store::Store& store, const std::string& scope) {
  std::optional<run::Record> newest;
  for (const run::State state :
       {run::State::failed, run::State::timed_out, run::State::abandoned}) {
    store::Query query;
    query.limit = 1;
    query.state = state;
    query.scope = scope;
    auto records = store.list(query);
    if (!records) return std::unexpected(records.error());
    if (records->empty() || (newest && newest->number > records->front().number)) continue;
    newest = std::move(records->front());
  }
  if (newest) return newest->id;
  return fail(ErrorCode::not_found, "not_found", "no run has failed, so @failed is nothing",
              "run_id");
}

Result<RunId> newest(store::Store& store, const std::string& scope) {
  store::Query query;
  query.limit = 1;
  query.scope = scope;
  auto records = store.list(query);
  if (!records) return std::unexpected(records.error());
  if (records->empty()) {
    return fail(ErrorCode::not_found, "not_found", "there is no run yet, so @last is nothing",
                "run_id");
  }
  return records->front().id;
}

std::unexpected<Error> ambiguous(std::string_view text, const std::vector<RunId>& ids,
                                 std::string_view reason, std::string_view advice) {
  constexpr size_t kShown = 3;
  std::string message = std::string(text) + " could be";
  for (size_t i = 0; i < std::min(ids.size(), kShown); ++i) {
    message.append(i == 0 ? " " : ", ").append(ids[i].view());
  }
  if (ids.size() > kShown) message += " or others";
  return fail(ErrorCode::conflict, std::string(reason), message.append("; ").append(advice),
              "run_id");
}

// A run's scope, also of one whose record is gone. Nothing: there is no such run.
Result<std::optional<std::string>> scope_of(store::Store& store, const RunId& id) {
  auto record = store.find(id);
  if (!record) return std::unexpected(record.error());
  if (*record) return (*record)->scope;
  auto end = store.terminal_event(id);
  if (!end) return std::unexpected(end.error());
  if (*end) return (*end)->scope;
  return std::nullopt;
}

constexpr size_t kSharedPrefix = 64;  // Beyond it, more of the id is needed to find one's own.

// The only run of that name; the attempts of one that was tried again are one, the latest. Only
// what people name is looked for: a play and its steps have names that Drover gave them, the same
// ones each time.
Result<RunId> by_name(store::Store& store, const access::Grant& grant, std::string_view text) {
  if (text.empty()) return no_such_run(text);
  const auto records = store.list({.scope = *access::narrowed(grant, ""),
                                   .kind = std::string(run::kCommand),
                                   .name = std::string(text),
                                   .latest_only = true,
                                   .limit = grant.is_owner ? 4 : kSharedPrefix});
  if (!records) return std::unexpected(records.error());
  std::vector<RunId> ids;
  for (const run::Record& record : *records) {
    if (grant.is_owner || access::reaches(grant, {record.id, record.scope})) {
      ids.push_back(record.id);
    }
  }
  if (ids.empty()) return no_such_run(text);
  if (ids.size() == 1) return ids.front();
  return ambiguous(bounded(text, 64), ids, "ambiguous_name",
                   "several runs have that name; take one's id");
}

}  // namespace

std::unexpected<Error> no_such_run(std::string_view text) {
  return fail(ErrorCode::not_found, "not_found",
              "there is no run " + bounded(text, 64) + "; list them with drover ps -a", "run_id");
}

Result<RunId> resolve(store::Store& store, std::string_view text) {
  return resolve_within(store, access::owner_grant(), text);
}

Result<RunId> resolve_within(store::Store& store, const access::Grant& grant,
                             std::string_view text) {
  const auto sees = [&](const RunId& id) -> Result<bool> {
    if (grant.is_owner) return true;
    const auto scope = scope_of(store, id);
    if (!scope) return std::unexpected(scope.error());
    return *scope && access::reaches(grant, {id, **scope});
  };
  if (auto id = RunId::parse(text)) {
    const auto seen = sees(*id);
    if (!seen) return std::unexpected(seen.error());
    return *seen ? id : no_such_run(text);
  }
  const std::string scope = *access::narrowed(grant, "");
  if (text == "@last") return newest(store, scope);
  if (text == "@failed") return newest_failed(store, scope);
  std::string prefix(text.starts_with(RunId::kPrefix) ? text.substr(RunId::kPrefix.size()) : text);
  const bool fits = !prefix.empty() && prefix.size() <= RunId::kSize - RunId::kPrefix.size() &&
                    std::ranges::all_of(prefix, [](char c) {
                      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
                    });
  if (!fits) return by_name(store, grant, text);
  auto ids =
      store.find_prefix(std::string(RunId::kPrefix) + prefix, grant.is_owner ? 4 : kSharedPrefix);
  if (!ids) return std::unexpected(ids.error());
  if (!grant.is_owner) {
    std::vector<RunId> own;
    for (const RunId& id : *ids) {
      const auto seen = sees(id);
      if (!seen) return std::unexpected(seen.error());
      if (*seen) own.push_back(id);
    }
    *ids = std::move(own);
  }
  if (ids->empty()) return by_name(store, grant, text);
  if (ids->size() > 1) {
    return ambiguous(bounded(text, 64), *ids, "ambiguous_id", "give more of its id");
  }
  return ids->front();
}

bool sees_project(const access::Grant& grant, std::string_view id) {
  const std::string scope = session::scope_of(id);
  return access::narrowed(grant, scope) == scope;
}

Result<store::Project> find_project(store::Store& store, const access::Grant& grant,
                                    std::string_view id) {
  auto projects = store.projects();
  if (!projects) return std::unexpected(projects.error());
  for (store::Project& project : *projects) {
    if (project.id == id && sees_project(grant, id)) return std::move(project);
  }
  return fail(ErrorCode::not_found, "not_found",
              "there is no project " + bounded(id, 64) + "; list them with drover project ls",
              "project");
}

Result<run::Record> last_attempt(store::Store& store, run::Record record) {
  auto next = RunId::parse(record.retried_by);
  while (next) {
    auto found = store.find(*next);
    if (!found) return std::unexpected(found.error());
    if (*found) {
      record = std::move(**found);
      next = RunId::parse(record.retried_by);
      continue;
    }
    // Removed: its end says what came after it.
    const auto end = store.terminal_event(*next);
    if (!end) return std::unexpected(end.error());
    next = RunId::parse(*end ? store::standing_of(**end).retried_by : "");
  }
  return record;
}

Result<run::Record> find_run(store::Store& store, std::string_view text) {
  auto id = resolve(store, text);
  if (!id) return std::unexpected(id.error());
  auto record = store.find(*id);
  if (!record) return std::unexpected(record.error());
  if (!*record) return no_such_run(text);
  return std::move(**record);
}

}  // namespace drover::api
