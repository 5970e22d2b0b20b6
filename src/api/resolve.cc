#include "api/resolve.h"

#include <algorithm>

#include "base/text.h"
#include "store/dependencies.h"

namespace drover::api {
namespace {

// The newest of those that did not do what they were asked to; a cancel is what was asked for.
Result<RunId> newest_failed(store::Store& store) {
  std::optional<run::Record> newest;
  for (const run::State state :
       {run::State::failed, run::State::timed_out, run::State::abandoned}) {
    store::Query query;
    query.limit = 1;
    query.state = state;
    auto records = store.list(query);
    if (!records) return std::unexpected(records.error());
    if (records->empty() || (newest && newest->number > records->front().number)) continue;
    newest = std::move(records->front());
  }
  if (newest) return newest->id;
  return fail(ErrorCode::not_found, "not_found", "no run has failed, so @failed is nothing",
              "run_id");
}

Result<RunId> newest(store::Store& store) {
  store::Query query;
  query.limit = 1;
  auto records = store.list(query);
  if (!records) return std::unexpected(records.error());
  if (records->empty()) {
    return fail(ErrorCode::not_found, "not_found", "there is no run yet, so @last is nothing",
                "run_id");
  }
  return records->front().id;
}

std::unexpected<Error> ambiguous(std::string_view text, const std::vector<RunId>& ids) {
  constexpr size_t kShown = 3;
  std::string message = std::string(text) + " could be";
  for (size_t i = 0; i < std::min(ids.size(), kShown); ++i) {
    message.append(i == 0 ? " " : ", ").append(ids[i].view());
  }
  if (ids.size() > kShown) message += " or others";
  return fail(ErrorCode::conflict, "ambiguous_id", message + "; give more of its id", "run_id");
}

}  // namespace

std::unexpected<Error> no_such_run(std::string_view text) {
  return fail(ErrorCode::not_found, "not_found",
              "there is no run " + bounded(text, 64) + "; list them with drover ps -a", "run_id");
}

Result<RunId> resolve(store::Store& store, std::string_view text) {
  if (auto id = RunId::parse(text)) return id;
  if (text == "@last") return newest(store);
  if (text == "@failed") return newest_failed(store);
  std::string prefix(text.starts_with(RunId::kPrefix) ? text.substr(RunId::kPrefix.size()) : text);
  const bool fits = !prefix.empty() && prefix.size() <= RunId::kSize - RunId::kPrefix.size() &&
                    std::ranges::all_of(prefix, [](char c) {
                      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
                    });
  if (!fits) return no_such_run(text);
  auto ids = store.find_prefix(std::string(RunId::kPrefix) + prefix, 4);
  if (!ids) return std::unexpected(ids.error());
  if (ids->empty()) return no_such_run(text);
  if (ids->size() > 1) return ambiguous(bounded(text, 64), *ids);
  return ids->front();
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
