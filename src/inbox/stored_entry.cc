#include "inbox/stored_entry.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "access/quota.h"
#include "base/text.h"
#include "inbox/limits.h"

namespace drover::inbox {
namespace {

namespace json = boost::json;
using store::Value;
using store::Values;

const std::string kSelect =
    "SELECT number, id, type, run_id, scope, app, at, text, data, state, context, choices, "
    "deadline, waits, closed_at, choice, answer, closed_by FROM inbox_entries ";

std::vector<std::string> choices_in(const std::string& text) {
  std::vector<std::string> out;
  boost::system::error_code bad;
  const json::value list = json::parse(text, bad);
  if (bad || !list.is_array()) return out;
  for (const json::value& one : list.get_array()) {
    if (one.is_string()) out.emplace_back(one.get_string());
  }
  return out;
}

std::string text_of(const std::vector<std::string>& choices) {
  json::array list;
  for (const std::string& choice : choices) list.emplace_back(choice);
  return json::serialize(list);
}

Entry entry_in(const Values& row) {
  return {.id = row[1].text(),
          .type = type_named(row[2].text()).value_or(Type::output),
          .run_id = row[3].text(),
          .scope = row[4].text(),
          .app = row[5].text(),
          .at = row[6].integer(),
          .text = row[7].text(),
          .data = row[8].text(),
          .context = row[10].text(),
          .choices = choices_in(row[11].text()),
          .deadline = row[12].is_null() ? std::nullopt : std::optional(row[12].integer()),
          .waits = row[13].integer() != 0,
          .state = state_named(row[9].text()).value_or(State::open),
          .closed_at = row[14].integer(),
          .answer = {.choice = row[15].text(), .text = row[16].text()},
          .closed_by = row[17].text()};
}

Result<std::vector<Entry>> all_in(const Result<store::Table>& rows) {
  if (!rows) return std::unexpected(rows.error());
  std::vector<Entry> out;
  out.reserve(rows->size());
  for (const Values& row : *rows) out.push_back(entry_in(row));
  return out;
}

Result<std::optional<Entry>> first_in(const Result<store::Table>& rows) {
  if (!rows) return std::unexpected(rows.error());
  if (rows->empty()) return std::nullopt;
  return entry_in(rows->front());
}

// Conditions of a query, each with its parameters.
class Where {
 public:
  // `$` stands for the parameter of each value.
  void add(std::string_view condition, const Values& values) {
    sql_ += sql_.empty() ? "WHERE (" : "AND (";
    auto value = values.begin();
    for (const char c : condition) {
      if (c == '$') {
        values_.push_back(*value++);
        sql_ += "$" + std::to_string(values_.size());
      } else {
        sql_ += c;
      }
    }
    sql_ += ") ";
  }
  // Only entries that `grant` covers.
  void add(const access::Grant& grant) {
    const auto scope = access::narrowed(grant, "");
    if (!scope || scope->empty()) return;
    // Those below it begin with "scope/"; '0' is the character after '/'.
    add("scope = $ OR scope > $ AND scope < $ OR run_id = $",
        {*scope, *scope + "/", *scope + "0", grant.run ? grant.run->str() : "-"});
  }
  const std::string& sql() const { return sql_; }
  const Values& values() const { return values_; }

 private:
  std::string sql_;
  Values values_;
};

// '' is less than every id that begins with `text`, and this is greater.
std::string after_all(std::string text) {
  return text + "\x7f";
}

}  // namespace

std::unexpected<Error> no_such_entry(std::string_view text) {
  return fail(ErrorCode::not_found, "not_found",
              "the inbox does not contain " + bounded(text, 64) +
                  "; `drover inbox --all` lists its entries",
              "entry");
}

Result<std::vector<NumberedEntry>> list_entries(store::Reads& store, const access::Grant& grant,
                                                const EntryQuery& query) {
  Where where;
  if (query.open_only) where.add("state = 'open'", {});
  if (!query.run_id.empty()) where.add("run_id = $", {query.run_id});
  if (!query.app.empty()) where.add("app = $", {query.app});
  if (query.type) where.add("type = $", {name(*query.type)});
  if (query.before) where.add("number < $", {*query.before});
  where.add(grant);
  const auto rows = store.query(
      kSelect + where.sql() + "ORDER BY number DESC LIMIT " + std::to_string(query.limit),
      where.values());
  if (!rows) return std::unexpected(rows.error());
  std::vector<NumberedEntry> out;
  for (const Values& row : *rows) out.push_back({row[0].integer(), entry_in(row)});
  return out;
}

Result<Entry> find_entry(store::Reads& store, const access::Grant& grant, const std::string& text) {
  if (text.empty() || text.contains('\0') || !is_utf8(text)) return no_such_entry(text);
  Where where;
  where.add("id >= $ AND id < $ OR id >= $ AND id < $ OR id >= $ AND id < $",
            {text, after_all(text), "question_" + text, after_all("question_" + text),
             "report_" + text, after_all("report_" + text)});
  where.add(grant);
  auto found = all_in(store.query(
      kSelect + where.sql() + "ORDER BY id LIMIT " + std::to_string(kMatchesMax), where.values()));
  if (!found) return std::unexpected(found.error());
  if (found->empty()) return no_such_entry(text);
  if (found->size() > 1 && found->front().id != text) {
    return fail(ErrorCode::conflict, "ambiguous_id",
                "several entries begin with " + bounded(text, 64) + ": " + (*found)[0].id + ", " +
                    (*found)[1].id + "; type more of the id",
                "entry");
  }
  return std::move(found->front());
}

Result<Entry> find_entry(store::Transaction& transaction, const std::string& id) {
  auto found = first_in(transaction.query(kSelect + "WHERE id = $1", {id}));
  if (!found) return std::unexpected(found.error());
  if (!*found) return no_such_entry(id);
  return std::move(**found);
}

Result<std::optional<Entry>> find_by_key(store::Reads& store, const std::string& run_id,
                                         const std::string& key) {
  return first_in(store.query(kSelect + "WHERE run_id = $1 AND key = $2", {run_id, key}));
}

Result<std::optional<Entry>> find_by_key(store::Transaction& transaction, const std::string& run_id,
                                         const std::string& key) {
  return first_in(transaction.query(kSelect + "WHERE run_id = $1 AND key = $2", {run_id, key}));
}

Result<OpenCounts> count_open(store::Transaction& transaction, const std::string& run_id) {
  const auto of_run = transaction.query(
      "SELECT COUNT(*) FROM inbox_entries WHERE run_id = $1 AND state = 'open'", {run_id});
  if (!of_run) return std::unexpected(of_run.error());
  const auto all = transaction.query("SELECT COUNT(*) FROM inbox_entries WHERE state = 'open'", {});
  if (!all) return std::unexpected(all.error());
  return OpenCounts{.of_run = of_run->front()[0].integer(), .all = all->front()[0].integer()};
}

Result<> check_share(store::Reads& store, const std::string& scope) {
  const auto all = store.query("SELECT COUNT(*) FROM inbox_entries WHERE state = 'open'", {});
  if (!all) return std::unexpected(all.error());
  if (all->front()[0].integer() < kOpenCrowded) return {};
  size_t end = 0;
  for (const std::int64_t most : {kOpenPerScopeMax, kOpenPerInnerScopeMax}) {
    if (end == scope.size() && end != 0) break;
    end = std::min(scope.find('/', end == 0 ? 0 : end + 1), scope.size());
    const std::string part = scope.substr(0, end);
    // '0' comes right after '/'.
    const auto open = store.query(
        "SELECT COUNT(*) FROM inbox_entries WHERE state = 'open' AND (scope = $1 OR (scope > $2 "
        "AND scope < $3))",
        {part, part + "/", part + "0"});
    if (!open) return std::unexpected(open.error());
    if (open->front()[0].integer() < most) continue;
    return access::quota_exceeded(
        "questions",
        "the inbox is crowded, and the runs of " + part + " already have " + std::to_string(most) +
            " open questions; wait for answers, or dismiss some: drover inbox dismiss");
  }
  return {};
}

Result<std::vector<Entry>> due_questions(store::Reads& store, WallMs now, size_t limit) {
  return all_in(store.query(kSelect +
                                "WHERE state = 'open' AND deadline IS NOT NULL AND deadline <= $1 "
                                "ORDER BY deadline LIMIT $2",
                            {now, limit}));
}

Result<std::optional<WallMs>> next_deadline(store::Reads& store) {
  const auto rows = store.query(
      "SELECT deadline FROM inbox_entries WHERE state = 'open' AND deadline IS NOT NULL "
      "ORDER BY deadline LIMIT 1",
      {});
  if (!rows) return std::unexpected(rows.error());
  if (rows->empty()) return std::nullopt;
  return rows->front()[0].integer();
}

Result<std::vector<Entry>> waiting_questions(store::Reads& store, const std::string& run_id) {
  Where where;
  where.add("state = 'open' AND waits = 1", {});
  if (!run_id.empty()) where.add("run_id = $", {run_id});
  return all_in(store.query(kSelect + where.sql() + "ORDER BY number", where.values()));
}

Result<> insert_entry(store::Transaction& transaction, const Entry& entry, const std::string& key) {
  const auto last = transaction.query("SELECT COALESCE(MAX(number), 0) FROM inbox_entries", {});
  if (!last) return std::unexpected(last.error());
  return transaction.execute(
      "INSERT INTO inbox_entries (id, number, type, run_id, key, scope, app, at, text, data, "
      "state, context, choices, deadline, waits, closed_at, choice, answer, closed_by) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0, '', '', '')",
      {entry.id, last->front()[0].integer() + 1, name(entry.type), entry.run_id, key, entry.scope,
       entry.app, entry.at, entry.text, entry.data,
       entry.is_question() ? Value(name(entry.state)) : Value(""), entry.context,
       text_of(entry.choices), entry.deadline ? Value(*entry.deadline) : Value(nullptr),
       entry.waits ? 1 : 0});
}

Result<> close_entry(store::Transaction& transaction, const Entry& question) {
  return transaction.execute(
      "UPDATE inbox_entries SET state = $1, closed_at = $2, choice = $3, answer = $4, "
      "closed_by = $5 WHERE id = $6",
      {name(question.state), question.closed_at, question.answer.choice, question.answer.text,
       question.closed_by, question.id});
}

Result<> trim_run(store::Transaction& transaction, const std::string& run_id, std::int64_t keep) {
  return transaction.execute(
      "DELETE FROM inbox_entries WHERE run_id = $1 AND state <> 'open' AND number <= "
      "(SELECT number FROM inbox_entries WHERE run_id = $2 AND state <> 'open' "
      "ORDER BY number DESC LIMIT 1 OFFSET $3)",
      {run_id, run_id, keep});
}

Result<> trim_all(store::Transaction& transaction, std::int64_t keep, size_t rows) {
  // Numbers have no holes but those of removed entries, so this keeps at most `keep` closed ones.
  return transaction.execute_without_event(
      "DELETE FROM inbox_entries WHERE id IN (SELECT id FROM inbox_entries WHERE state <> 'open' "
      "AND number <= (SELECT COALESCE(MAX(number), 0) FROM inbox_entries) - $1 "
      "ORDER BY number LIMIT $2)",
      {keep, rows});
}

}  // namespace drover::inbox
