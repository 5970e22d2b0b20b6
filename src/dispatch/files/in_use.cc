#include "dispatch/files/in_use.h"

namespace drover::dispatch {
namespace {

constexpr int kDepthMax = 32;  // Scopes end earlier; a damaged record must not loop.

}  // namespace

// Those that an earlier page asked for are known already.
asio::awaitable<void> InUse::look_up(const std::vector<run::Record>& records) {
  std::vector<std::string> ids;
  for (const run::Record& record : records) {
    if (!parents_.contains(record.parent_run_id)) ids.push_back(record.parent_run_id);
  }
  if (ids.empty()) co_return;
  auto found = co_await reads_.ask({.name = "retention"},
                                   [ids](store::Reads& store) { return read(store, ids); });
  if (found) {
    parents_.merge(std::move(*found));
  } else {
    for (std::string& id : ids) parents_[std::move(id)] = {.readable = false};
  }
}

// With all that started them.
Result<InUse::Parents> InUse::read(store::Reads& store, std::vector<std::string> ids) {
  Parents parents;
  for (std::string& first : ids) {
    std::string id = std::move(first);
    for (int depth = 0; depth < kDepthMax && !parents.contains(id); ++depth) {
      const auto parsed = RunId::parse(id);
      if (!parsed) break;
      const auto found = store.find(*parsed);
      if (!found && found.error().code != ErrorCode::corrupt) {
        return std::unexpected(found.error());
      }
      Parent& parent = parents[id];
      parent.readable = found.has_value();
      if (!found || !*found) break;
      parent = {.exists = true,
                .active = run::is_active((*found)->state),
                .kind = (*found)->kind,
                .parent_run_id = (*found)->parent_run_id};
      id = parent.parent_run_id;
    }
  }
  return parents;
}

bool InUse::has(const run::Record& record) const {
  return is_read(record.id) || dispatcher_.is_needed(record.id) ||
         keeps_parts(record.parent_run_id, 0);
}

bool InUse::is_read(const RunId& run) const {
  return bell_.has_subscriber(run) || (page_readers_ != nullptr && page_readers_->has(run));
}

bool InUse::keeps_parts(const std::string& id, int depth) const {
  const auto parsed = RunId::parse(id);
  if (!parsed || depth == kDepthMax) return false;
  const auto known = parents_.find(id);
  // If it cannot be read now, a later round decides.
  if (known == parents_.end() || !known->second.readable) return true;
  const Parent& parent = known->second;
  if (!parent.exists) return false;
  const bool used = parent.active || is_read(*parsed);
  return (used && dispatcher_.is_composite(parent.kind)) ||
         keeps_parts(parent.parent_run_id, depth + 1);
}

}  // namespace drover::dispatch
