#include "store/sqlite/remains_row.h"

#include <fmt/format.h>

#include "run/kind.h"
#include "store/scopes.h"
#include "store/sqlite/column_values.h"

namespace drover::store::sqlite {
namespace {

constexpr int kColumns = 22;

// The numbers below are stored for ever: a new reason or origin is added at the end of its list.
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

}  // namespace

Result<Statement> prepare_insert_remains(Database& database) {
  std::string places = "?1";
  for (int i = 2; i <= kColumns; ++i) places += fmt::format(", ?{}", i);
  return database.prepare(
      fmt::format("INSERT INTO evidence ({}) VALUES ({})", kRemainsColumns, places));
}

Result<> insert_remains(Statement& statement, const run::Remains& remains) {
  const run::Record& r = remains.record;
  const std::string trace = r.trace_id == r.id.trace_id() ? "" : packed(r.trace_id);
  const auto own_trace = trace.empty() ? std::nullopt : std::optional(Blob{trace});
  return statement.run(r.id.view(), remains.seq, r.events, static_cast<int>(r.state),
                       number_of(r.reason), number_of(r.origin), r.exit_code, r.signal,
                       unless_zero(static_cast<std::int64_t>(r.failed_step)),
                       unless_zero(r.launch_error), r.queued_at,
                       distance(r.queued_at, r.started_at), distance(r.queued_at, r.finished_at),
                       unless_zero(r.stdout_bytes), unless_zero(r.stderr_bytes),
                       unless_zero(int{r.cancel_requested}), unless(run::kCommand, r.kind),
                       unless(kCommonScope, r.scope), own_trace, unless("", r.parent_run_id),
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
  r.scope = text_or(row, 17, kCommonScope);
  r.trace_id = row.is_null(18) ? r.id.trace_id() : unpacked(row.blob(18));
  r.parent_run_id = text_or(row, 19, "");
  r.retried_by = text_or(row, 20, "");
  r.message = text_or(row, 21, "");
  return remains;
}

}  // namespace drover::store::sqlite
