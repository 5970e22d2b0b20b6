#include "triggers/hooks/hook_holder.h"

#include "triggers/definition/spec.h"

namespace drover::triggers {
namespace {

// The path of a webhook; empty: it cannot be read.
std::string path_in(const std::string& spec, WallMs anchor) {
  const auto read = read_spec(spec, anchor);
  const auto* hook = read ? std::get_if<WebhookSource>(&read->source) : nullptr;
  return hook == nullptr ? "" : hook->path;
}

}  // namespace

Result<> check_hook_path_free(store::Transaction& transaction, const StoredTrigger& trigger) {
  if (trigger.source_type != "webhook") return {};
  const std::string path = path_in(trigger.spec, trigger.anchor);
  // LIKE finds the candidates: a `_` of the path matches any character, so each one is read.
  const auto rows = transaction.query(
      "SELECT name, spec, anchor FROM triggers WHERE source = 'webhook' AND name <> $1 "
      "AND spec LIKE $2",
      {trigger.name, "%\"" + path + "\"%"});
  if (!rows) return std::unexpected(rows.error());
  for (const store::Values& row : *rows) {
    if (path_in(row[1].text(), row[2].integer()) != path) continue;
    return fail(ErrorCode::conflict, "path_taken",
                "the trigger " + row[0].text() + " receives /hooks/" + path +
                    "; choose another path, such as " + path + "-2",
                "source.path");
  }
  return {};
}

}  // namespace drover::triggers
