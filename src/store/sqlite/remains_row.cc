#include "store/sqlite/remains_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "run/kind.h"
#include "store/scopes.h"
#include "store/sqlite/column_values.h"
#include "store/sqlite/packed_scope.h"

namespace drover::store::sqlite {
namespace {

constexpr int kColumns = 22;

// The numbers below are stored forever: a new reason or origin is added at the end of its list.
static_assert(static_cast<int>(run::Reason::out_of_memory) == 14);
static_assert(static_cast<int>(run::Origin::owner) == 5);
static_assert(static_cast<int>(run::State::abandoned) == 7);

std::optional<std::int64_t> unless_zero(std::int64_t value) {
  return value == 0 ? std::nullopt : std::optional(value);
}
std::optional<std::string_view> unless(std::string_view usual, std::string_view value) {
  return value == usual ? std::nullopt : std::optional(value);
}
template <class Enum>
std::optional<int> number_of(const std::optional<Enum>& value) {
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}
// Times are stored as a distance from the submission.
std::optional<std::int64_t> distance(WallMs from, WallMs time) {
  return time == 0 ? std::nullopt : std::optional(time - from);
}

template <class Enum>
bool take_number(const Row& row, int column, Enum last, std::optional<Enum>& out) {
  if (row.is_null(column)) return true;
  const std::int64_t value = row.integer(column);
  if (value < 0 || value > static_cast<std::int64_t>(last)) return false;
  out = static_cast<Enum>(value);
  return true;
}

std::string text_or(const Row& row, int column, std::string_view usual) {
  return std::string(row.is_null(column) ? usual : row.text(column));
}

// A run that another run started is in a scope that ends with its parent's id (access/grant.h).
// Then the empty text stands for the parent.
std::string_view last_part(std::string_view scope) {
  return scope.substr(scope.rfind('/') + 1);
}
std::optional<std::string_view> parent_column(const run::Record& r) {
  if (r.parent_run_id.empty()) return std::nullopt;
  return r.parent_run_id == last_part(r.scope) ? std::string_view("") : r.parent_run_id;
}

constexpr std::string_view kHex = "0123456789abcdef";

// Every trace id is 32 hex digits.
std::string packed(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(kHex.find(hex[i]) << 4 | kHex.find(hex[i + 1]));
  }
  return bytes;
}
std::string unpacked(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) {
    hex += kHex[static_cast<unsigned char>(byte) >> 4];
    hex += kHex[static_cast<unsigned char>(byte) & 15];
  }
  return hex;
}

// The trace id of the outermost run that the scope names: a run within runs is in the trace of
// that one, unless its caller named another.
std::string trace_of_outermost(std::string_view scope) {
  while (!scope.empty()) {
    const std::string_view part = scope.substr(0, scope.find('/'));
    if (const auto id = RunId::parse(part)) return id->trace_id();
    scope.remove_prefix(std::min(scope.size(), part.size() + 1));
  }
  return "";
}

std::optional<std::string> trace_column(const run::Record& r) {
  if (r.trace_id == r.id.trace_id()) return std::nullopt;
  return r.trace_id == trace_of_outermost(r.scope) ? "" : packed(r.trace_id);
}
std::string trace_in(const Row& row, int column, const run::Record& r) {
  if (row.is_null(column)) return r.id.trace_id();
  return row.blob(column).empty() ? trace_of_outermost(r.scope) : unpacked(row.blob(column));
}

}  // namespace

Result<Statement> prepare_insert_remains(Database& database) {
  std::string places = "?1";
  for (int i = 2; i <= kColumns; ++i) places += fmt::format(", ?{}", i);
  return database.prepare(
      fmt::format("INSERT INTO evidence ({}) VALUES ({})", kRemainsColumns, places));
}

Result<> insert_remains(Statement& statement, const run::Remains& remains) {
  const run::Record& r = remains.record;
  const std::optional<std::string> trace = trace_column(r);
  const auto own_trace = trace ? std::optional(Blob{*trace}) : std::nullopt;
  const std::string scope = packed_scope(r.scope);
  return statement.run(r.id.view(), remains.seq, r.events, static_cast<int>(r.state),
                       number_of(r.reason), number_of(r.origin), r.exit_code, r.signal,
                       unless_zero(static_cast<std::int64_t>(r.failed_step)),
                       unless_zero(r.launch_error), r.queued_at,
                       distance(r.queued_at, r.started_at), distance(r.queued_at, r.finished_at),
                       unless_zero(r.stdout_bytes), unless_zero(r.stderr_bytes),
                       unless_zero(int{r.cancel_requested}), unless(run::kCommand, r.kind),
                       unless(kCommonScope, scope), own_trace, parent_column(r),
                       unless("", r.retried_by), unless("", r.message));
}

Result<run::Remains> read_remains(const Row& row) {
  run::Remains remains;
  run::Record& r = remains.record;
  remains.seq = row.integer(1);
  r.events = row.integer(2);
  bool good = take(row, 0, r.id) && take(row, 3, r.state) && run::is_finished(r.state) &&
              take_number(row, 4, run::Reason::out_of_memory, r.reason) &&
              take_number(row, 5, run::Origin::owner, r.origin) && take(row, 6, r.exit_code) &&
              take(row, 7, r.signal);
  if (!row.is_null(8)) good = good && take(row, 8, r.failed_step);
  const std::optional<std::string> scope = unpacked_scope(text_or(row, 17, kCommonScope));
  good = good && scope;
  if (!good) {
    return fail(ErrorCode::corrupt, "database_corrupt",
                fmt::format("the evidence of {} has a value that Drover never writes; run "
                            "`drover doctor`",
                            row.text(0)));
  }
  r.launch_error = static_cast<int>(row.integer(9));  // A null reads as 0.
  r.queued_at = row.integer(10);
  r.started_at = row.is_null(11) ? 0 : r.queued_at + row.integer(11);
  r.finished_at = row.is_null(12) ? 0 : r.queued_at + row.integer(12);
  r.stdout_bytes = row.integer(13);
  r.stderr_bytes = row.integer(14);
  r.cancel_requested = row.integer(15) != 0;
  r.kind = text_or(row, 16, run::kCommand);
  r.scope = *scope;
  r.trace_id = trace_in(row, 18, r);
  if (!row.is_null(19)) {
    r.parent_run_id = row.text(19).empty() ? last_part(r.scope) : row.text(19);
  }
  r.retried_by = text_or(row, 20, "");
  r.message = text_or(row, 21, "");
  return remains;
}

}  // namespace drover::store::sqlite
