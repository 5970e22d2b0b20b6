#include "access/quota.h"

#include <fmt/format.h>

#include <utility>

#include "base/limits.h"

namespace drover::access {
namespace {

// A scope and those below it, as ranges of the index (token.cc). '0' comes right after '/'.
store::Values range_of(const std::string& scope) {
  return {scope, scope + "/", scope + "0"};
}

Result<std::int64_t> number(store::Transaction& transaction, std::string_view sql,
                            const store::Values& values) {
  const auto rows = transaction.query(sql, values);
  if (!rows) return std::unexpected(rows.error());
  return rows->empty() ? 0 : rows->front()[0].integer();
}

Result<> check_runs(store::Transaction& transaction, const std::string& scope) {
  // The bound keeps the count short; more cannot be reached.
  static const std::string kCount = fmt::format(
      "SELECT (SELECT count(*) FROM (SELECT 1 FROM runs WHERE state < 3 AND scope = $1 LIMIT {0})) "
      "+ (SELECT count(*) FROM (SELECT 1 FROM runs WHERE state < 3 AND scope > $2 AND scope < $3 "
      "LIMIT {0}))",
      limits::kQuotaRunsMax);
  const auto runs = number(transaction, kCount, range_of(scope));
  if (!runs) return std::unexpected(runs.error());
  if (*runs < limits::kQuotaRunsMax) return {};
  return quota_exceeded("runs",
                        fmt::format("{} has {} queued and active runs, and this token may have no "
                                    "more there; wait for some to finish, or cancel them",
                                    scope, limits::kQuotaRunsMax));
}

Result<> check_bytes(store::Transaction& transaction, const std::string& scope) {
  static const std::string kSum = fmt::format(
      "SELECT (SELECT coalesce(sum(stdout_bytes + stderr_bytes), 0) FROM runs WHERE stdout_bytes + "
      "stderr_bytes >= {0} AND scope = $1) + (SELECT coalesce(sum(stdout_bytes + stderr_bytes), 0) "
      "FROM runs WHERE stdout_bytes + stderr_bytes >= {0} AND scope > $2 AND scope < $3)",
      limits::kQuotaBytesSeenMin);
  const auto bytes = number(transaction, kSum, range_of(scope));
  if (!bytes) return std::unexpected(bytes.error());
  if (*bytes < limits::kQuotaBytesMax) return {};
  return quota_exceeded("bytes",
                        fmt::format("the runs of {} have printed more than {} bytes, and this "
                                    "token may keep no more; delete some of them",
                                    scope, limits::kQuotaBytesMax));
}

// A lane is created by its first run, and belongs to everybody: remember who created it.
Result<> check_lane(store::Transaction& transaction, const std::string& scope,
                    const std::string& lane) {
  const auto known = number(transaction, "SELECT 1 FROM lanes WHERE name = $1", {lane});
  if (!known) return std::unexpected(known.error());
  if (*known == 1) return {};
  // Of lanes that were removed since then.
  auto forgotten = transaction.execute(
      "DELETE FROM lanes_by_scope WHERE scope = $1 AND lane NOT IN (SELECT name FROM lanes)",
      {scope});
  if (!forgotten) return forgotten;
  const auto created =
      number(transaction, "SELECT count(*) FROM lanes_by_scope WHERE scope = $1", {scope});
  if (!created) return std::unexpected(created.error());
  if (*created >= limits::kQuotaLanesMax) {
    return quota_exceeded("lane", fmt::format("there is no lane {}, and {} has created {} lanes, "
                                              "the most that its tokens may; use one of these",
                                              lane, scope, limits::kQuotaLanesMax));
  }
  return transaction.execute("INSERT INTO lanes_by_scope (scope, lane) VALUES ($1, $2)",
                             {scope, lane});
}

Result<bool> is_repeated(store::Transaction& transaction, const QuotaRequest& request) {
  if (request.key.empty()) return false;
  const auto known = number(transaction, "SELECT 1 FROM idempotency WHERE scope = $1 AND key = $2",
                            {request.scope, request.key});
  if (!known) return std::unexpected(known.error());
  return *known == 1;
}

}  // namespace

std::unexpected<Error> quota_exceeded(std::string param, std::string message) {
  return fail(ErrorCode::exhausted, "quota_exceeded", std::move(message), std::move(param));
}

std::string quota_scope(const Grant& grant) {
  if (grant.is_owner || !grant.run) return grant.scope;
  const std::string_view scope = grant.scope;
  for (size_t begin = 0; begin < scope.size();) {
    const size_t end = std::min(scope.find('/', begin), scope.size());
    if (RunId::parse(scope.substr(begin, end - begin))) return std::string(scope.substr(0, end));
    begin = end + 1;
  }
  return grant.scope;
}

std::string share_of(const Grant& grant) {
  if (grant.is_owner) return {};
  if (!grant.run && grant.token_id.empty()) return "stranger";
  return grant.run ? "scope/" + quota_scope(grant) : grant.subject();
}

Result<> check_priority(const Grant& grant, int priority) {
  if (grant.is_owner || priority <= limits::kQuotaPriorityMax) return {};
  return quota_exceeded("priority",
                        fmt::format("this token may set no priority above {}; only the owner may",
                                    limits::kQuotaPriorityMax));
}

store::Work quota_check(const Grant& grant, QuotaRequest request) {
  std::string counted_in = quota_scope(grant);
  if (grant.is_owner || counted_in.empty()) return {};
  return [scope = std::move(counted_in),
          wanted = std::move(request)](store::Transaction& transaction) -> Result<> {
    const auto repeated = is_repeated(transaction, wanted);
    if (!repeated) return std::unexpected(repeated.error());
    if (*repeated) return {};
    if (wanted.adds_run) {
      if (auto ok = check_runs(transaction, scope); !ok) return ok;
      if (auto ok = check_bytes(transaction, scope); !ok) return ok;
    }
    return wanted.lane.empty() ? Result<>{} : check_lane(transaction, scope, wanted.lane);
  };
}

}  // namespace drover::access
