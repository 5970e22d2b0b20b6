#include "store/sqlite/rows.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "store/sqlite/plan_text.h"

namespace drover::store::sqlite {
namespace {

namespace json = boost::json;

std::unexpected<Error> bad(std::string_view column, std::string_view id) {
  return fail(ErrorCode::corrupt, "database_corrupt",
              fmt::format("column {} of {} holds what Drover never writes; run `drover doctor`",
                          column, id));
}

std::string to_json(const std::vector<std::string>& texts) {
  return json::serialize(json::array(texts.begin(), texts.end()));
}
std::string to_json(const std::map<std::string, std::string>& texts) {
  if (texts.empty()) return "{}";
  json::object object;
  for (const auto& [key, text] : texts) object[key] = text;
  return json::serialize(object);
}

bool from_json(std::string_view text, std::vector<std::string>& out) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  if (error || !value.is_array()) return false;
  for (const json::value& item : value.get_array()) {
    if (!item.is_string()) return false;
    out.emplace_back(item.get_string());
  }
  return true;
}
bool from_json(std::string_view text, std::map<std::string, std::string>& out) {
  if (text == "{}") return true;
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  if (error || !value.is_object()) return false;
  for (const auto& item : value.get_object()) {
    if (!item.value().is_string()) return false;
    out.emplace(item.key(), item.value().get_string());
  }
  return true;
}

// Walks a row's columns in the order of the column list.
class Columns {
 public:
  explicit Columns(const Row& row) : row_(row) {}
  std::string_view text() { return row_.text(at_++); }
  std::int64_t integer() { return row_.integer(at_++); }
  int small() { return static_cast<int>(integer()); }
  std::optional<int> small_or_null() {
    if (row_.is_null(at_)) return ++at_, std::nullopt;
    return small();
  }
  std::optional<std::string_view> text_or_null() {
    if (row_.is_null(at_)) return ++at_, std::nullopt;
    return text();
  }

 private:
  const Row& row_;
  int at_ = 0;
};

template <class Enum>
std::optional<std::string_view> name_of(const std::optional<Enum>& value) {
  if (!value) return std::nullopt;
  return name(*value);
}

}  // namespace

Result<run::Record> read_record(const Row& row) {
  Columns c(row);
  run::Record r;
  r.number = c.integer();
  const std::string_view id = c.text();
  auto parsed = RunId::parse(id);
  if (!parsed) return bad("id", id);
  r.id = *parsed;
  r.trace_id = c.text();
  r.kind = c.text();
  r.scope = c.text();
  r.name = c.text();
  const std::int64_t state = c.integer();
  if (state < 0 || state >= std::ssize(run::kStates)) return bad("state", id);
  r.state = static_cast<run::State>(state);
  if (const auto reason = c.text_or_null()) {
    r.reason = run::reason_named(*reason);
    if (!r.reason) return bad("reason", id);
  }
  if (const auto origin = c.text_or_null()) {
    r.origin = run::origin_named(*origin);
    if (!r.origin) return bad("origin", id);
  }
  r.message = c.text();
  r.exit_code = c.small_or_null();
  r.signal = c.small_or_null();
  r.failed_step = static_cast<LaunchStep>(c.integer());
  if (r.failed_step > LaunchStep::exec) return bad("failed_step", id);
  r.launch_error = c.small();
  if (!from_json(c.text(), r.command)) return bad("command", id);
  r.cwd = c.text();
  if (!from_json(c.text(), r.labels)) return bad("labels", id);
  r.lane = c.text();
  r.attempt = c.small();
  r.parent_run_id = c.text();
  r.on_restart = c.integer() == 0 ? run::OnRestart::requeue : run::OnRestart::fail;
  r.grace_ms = c.integer();
  r.queued_at = c.integer();
  r.started_at = c.integer();
  r.finished_at = c.integer();
  r.cpu_ms = c.integer();
  r.peak_rss_bytes = c.integer();
  r.stdout_bytes = c.integer();
  r.stderr_bytes = c.integer();
  r.cancel_requested = c.integer() != 0;
  r.cancel_mono_ns = c.integer();
  r.receipt = c.text();
  r.events = c.integer();
  r.priority = c.small();
  r.held = c.integer() != 0;
  r.not_before = c.integer();
  if (!read_plan(c.text(), r)) return bad("plan", id);
  r.chain = c.text();
  r.retried_by = c.text();
  r.session = c.text();
  return r;
}

Result<run::Event> read_event(const Row& row) {
  Columns c(row);
  run::Event e;
  e.seq = c.integer();
  const std::string_view id = c.text();
  auto parsed = RunId::parse(id);
  if (!parsed) return bad("run_id", id);
  e.run_id = *parsed;
  e.run_seq = c.integer();
  e.type = c.text();
  e.time = c.integer();
  e.trace_id = c.text();
  e.scope = c.text();
  e.terminal = c.integer() != 0;
  e.data = c.text();
  return e;
}

Result<Statement> prepare_insert_record(Database& database) {
  return database.prepare(fmt::format(
      "INSERT INTO runs ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
      "?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, "
      "?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40)",
      kRunColumns));
}

Result<> insert_record(Statement& statement, const run::Record& r) {
  return statement.run(
      r.number, r.id.view(), r.trace_id, r.kind, r.scope, r.name, static_cast<int>(r.state),
      name_of(r.reason), name_of(r.origin), r.message, r.exit_code, r.signal,
      static_cast<int>(r.failed_step), r.launch_error, to_json(r.command), r.cwd, to_json(r.labels),
      r.lane, r.attempt, r.parent_run_id, static_cast<int>(r.on_restart), r.grace_ms, r.queued_at,
      r.started_at, r.finished_at, r.cpu_ms, r.peak_rss_bytes, r.stdout_bytes, r.stderr_bytes,
      r.cancel_requested, r.cancel_mono_ns, r.receipt, r.events, r.priority, r.held, r.not_before,
      plan_text(r), r.chain, r.retried_by, r.session);
}

Result<Statement> prepare_update_record(Database& database) {
  return database.prepare(
      "UPDATE runs SET state = ?2, reason = ?3, origin = ?4, message = ?5, exit_code = ?6, "
      "signal = ?7, failed_step = ?8, launch_error = ?9, started_at = ?10, finished_at = ?11, "
      "cpu_ms = ?12, peak_rss_bytes = ?13, stdout_bytes = ?14, stderr_bytes = ?15, "
      "cancel_requested = ?16, cancel_mono_ns = ?17, receipt = ?18, events = ?19 "
      "WHERE number = ?1");
}

Result<> update_record(Statement& statement, const run::Record& r) {
  return statement.run(r.number, static_cast<int>(r.state), name_of(r.reason), name_of(r.origin),
                       r.message, r.exit_code, r.signal, static_cast<int>(r.failed_step),
                       r.launch_error, r.started_at, r.finished_at, r.cpu_ms, r.peak_rss_bytes,
                       r.stdout_bytes, r.stderr_bytes, r.cancel_requested, r.cancel_mono_ns,
                       r.receipt, r.events);
}

Result<Statement> prepare_insert_event(Database& database) {
  return database.prepare(fmt::format(
      "INSERT INTO spine ({}) VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", kEventColumns));
}

Result<> insert_event(Statement& statement, const run::Event& e) {
  return statement.run(e.run_id.view(), e.run_seq, e.type, e.time, e.trace_id, e.scope, e.terminal,
                       e.data);
}

}  // namespace drover::store::sqlite
