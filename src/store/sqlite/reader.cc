#include "store/sqlite/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "store/scopes.h"
#include "store/sqlite/fixed_sql.h"
#include "store/sqlite/listing.h"
#include "store/sqlite/remains_row.h"
#include "store/sqlite/rows.h"

namespace drover::store::sqlite {
namespace {

// The filters of a list make a few hundred texts at most; more would be a bug.
constexpr size_t kStatementsMax = 256;

// Collects rows until one cannot be read, and then returns that error.
template <class T, Result<T> (*Read)(const Row&)>
class Collector {
 public:
  bool operator()(const Row& row) {
    auto value = Read(row);
    if (!value) {
      bad_ = std::move(value.error());
      return false;
    }
    values_.push_back(std::move(*value));
    return true;
  }
  Result<std::vector<T>> take(const Result<>& asked) {
    if (!asked) return std::unexpected(asked.error());
    if (bad_) return std::unexpected(std::move(*bad_));
    return std::move(values_);
  }

 private:
  std::vector<T> values_;
  std::optional<Error> bad_;
};
using Records = Collector<run::Record, read_record>;
using Events = Collector<run::Event, read_event>;

template <class T>
Result<std::optional<T>> first_of(Result<std::vector<T>> all) {
  if (!all) return std::unexpected(all.error());
  if (all->empty()) return std::nullopt;
  return std::move(all->front());
}

std::string ask_events(std::string_view sql) {
  return fmt::format("SELECT {}{}", kEventColumns, sql);
}

const fixed_sql::EventsSql& sql_for(const EventQuery& query) {
  if (query.run) return fixed_sql::kRunEvents;
  if (!query.about.empty()) return fixed_sql::kSortEvents;
  if (query.scope.empty()) return query.of_owner ? fixed_sql::kEvents : fixed_sql::kScopedEvents;
  return query.scope == kCommonScope ? fixed_sql::kCommonEvents : fixed_sql::kScopeEvents;
}

}  // namespace

Result<std::unique_ptr<Reader>> Reader::open(const std::string& path, const Options& options) {
  auto database = Database::open(path, {.read_only = true, .vfs = options.vfs});
  if (!database) return std::unexpected(database.error());
  const auto bounded =
      database->execute(fmt::format("PRAGMA cache_size = -{}", limits::kReaderCacheKb));
  if (!bounded) return std::unexpected(bounded.error());
  // With its first query the connection maps the index of the WAL. While it is mapped, no
  // connection takes the remains of a failed commit for committed.
  if (auto ok = database->integer(fixed_sql::kLastSeq); !ok) return std::unexpected(ok.error());
  return std::unique_ptr<Reader>(new Reader(std::move(*database)));
}

Result<Statement*> Reader::statement(const std::string& sql) {
  if (const auto known = statements_.find(sql); known != statements_.end()) return &known->second;
  auto prepared = database_.prepare(sql);
  if (!prepared) return std::unexpected(prepared.error());
  if (statements_.size() >= kStatementsMax) statements_.clear();
  return &statements_.emplace(sql, std::move(*prepared)).first->second;
}

Result<> Reader::begin_snapshot() {
  auto begin = statement("BEGIN");
  return begin ? (*begin)->run() : std::unexpected(begin.error());
}

void Reader::end_snapshot() {
  if (!database_.in_transaction()) return;
  // A rollback fails only if SQLite has ended the transaction itself.
  if (auto end = statement("ROLLBACK"); end) (void)(*end)->run();
}

Result<std::optional<run::Record>> Reader::find(const RunId& id) {
  auto ask = statement(fmt::format("SELECT {} FROM runs WHERE id = ?1", run_columns()));
  if (!ask) return std::unexpected(ask.error());
  Records found;
  return first_of(found.take((*ask)->each(found, id.view())));
}

Result<std::vector<RunId>> Reader::find_prefix(const std::string& prefix, size_t limit) {
  auto ask = statement(fixed_sql::kPrefix);
  if (!ask) return std::unexpected(ask.error());
  std::vector<RunId> ids;
  // Ids are lower case letters and digits; '~' sorts after all of them.
  auto ok = (*ask)->each(
      [&](const Row& row) {
        if (auto id = RunId::parse(row.text(0))) ids.push_back(*id);
      },
      prefix, prefix + "~", limit);
  if (!ok) return std::unexpected(ok.error());
  return ids;
}

Result<std::vector<run::Record>> Reader::list(const Query& query) {
  const Listing listing = listing_of(query);
  auto ask = statement(listing.sql);
  if (!ask) return std::unexpected(ask.error());
  for (size_t i = 0; i < listing.values.size(); ++i) {
    std::visit([&](const auto& value) { (*ask)->bind(static_cast<int>(i) + 1, value); },
               listing.values[i]);
  }
  Records found;
  return found.take((*ask)->each(found));
}

Result<std::vector<run::Event>> Reader::events(const EventQuery& query) {
  const fixed_sql::EventsSql& sql = sql_for(query);
  auto ask = statement(ask_events(query.last ? sql.last : sql.first));
  if (!ask) return std::unexpected(ask.error());
  Events found;
  const std::string& narrowed = query.about.empty() ? query.scope : query.about;
  const Result<> asked =
      query.run          ? (*ask)->each(found, query.run->view(), query.after, query.limit)
      : narrowed.empty() ? (*ask)->each(found, query.after, query.limit)
                         : (*ask)->each(found, query.after, narrowed, query.limit);
  auto page = found.take(asked);
  if (!page) return page;
  if (query.last) std::ranges::reverse(*page);
  if (query.run && page->empty() && query.limit > 0) {
    auto left = compacted_event(*query.run);
    if (!left) return std::unexpected(left.error());
    if (*left && (*left)->seq > query.after) page->push_back(std::move(**left));
  }
  // A run has one scope: either all of its events pass or none.
  if (query.run && !page->empty() && !within_scope(page->front().scope, query.scope)) page->clear();
  return page;
}

Result<std::optional<run::Event>> Reader::final_event(const RunId& id) {
  auto ask = statement(ask_events(fixed_sql::kFinalEvent));
  if (!ask) return std::unexpected(ask.error());
  Events found;
  auto end = first_of(found.take((*ask)->each(found, id.view())));
  return !end || *end ? end : compacted_event(id);
}

Result<std::optional<run::Event>> Reader::compacted_event(const RunId& id) {
  auto ask = statement(fmt::format("SELECT {}{}", kRemainsColumns, fixed_sql::kEvidence));
  if (!ask) return std::unexpected(ask.error());
  Collector<run::Remains, read_remains> found;
  const auto remains = first_of(found.take((*ask)->each(found, id.view())));
  if (!remains) return std::unexpected(remains.error());
  return *remains ? std::optional(run::final_event(**remains)) : std::nullopt;
}

Result<std::int64_t> Reader::compacted_through() {
  auto ask = statement(fixed_sql::kMark);
  if (!ask) return std::unexpected(ask.error());
  std::int64_t through = 0;
  auto ok = (*ask)->each([&](const Row& row) { through = row.integer(0); }, "compacted_through");
  if (!ok) return std::unexpected(ok.error());
  return through;
}

Result<StoreSizes> Reader::sizes() {
  auto ask = statement(fixed_sql::kSizes);
  if (!ask) return std::unexpected(ask.error());
  StoreSizes sizes;
  auto ok = (*ask)->each([&](const Row& row) {
    sizes = {.file_bytes = row.integer(0),
             .free_bytes = row.integer(1),
             .runs = row.integer(2),
             .events = row.integer(3),
             .evidence = row.integer(4),
             .keys = row.integer(5)};
  });
  if (!ok) return std::unexpected(ok.error());
  return sizes;
}

Result<bool> Reader::knows_key(const std::string& scope, const std::string& key) {
  auto ask = statement(fixed_sql::kKey);
  if (!ask) return std::unexpected(ask.error());
  bool known = false;
  auto ok = (*ask)->each([&](const Row&) { known = true; }, scope, key);
  if (!ok) return std::unexpected(ok.error());
  return known;
}

Result<std::int64_t> Reader::last_seq() {
  return database_.integer(fixed_sql::kLastSeq);
}

Result<Epochs> Reader::epochs(Epoch current) {
  auto ask = database_.prepare(fixed_sql::kEpochs);
  if (!ask) return std::unexpected(ask.error());
  std::vector<Epoch> all;
  auto ok = ask->each([&](const Row& row) {
    all.push_back({std::string(row.text(0)), row.integer(1), row.integer(2)});
  });
  if (!ok) return std::unexpected(ok.error());
  const bool pruned = all.size() >= limits::kEpochsMax;
  // An epoch without events begins where the next one does.
  if (!all.empty() && all.back().first_seq >= current.first_seq) all.pop_back();
  all.push_back(std::move(current));
  return Epochs(std::move(all), pruned);
}

Result<std::vector<Lane>> Reader::lanes() {
  auto ask = statement(fixed_sql::kLanes);
  if (!ask) return std::unexpected(ask.error());
  std::vector<Lane> lanes;
  auto ok = (*ask)->each([&](const Row& row) {
    lanes.push_back({std::string(row.text(0)), row.integer(1), row.integer(2), row.integer(3),
                     row.integer(4), row.integer(5)});
  });
  if (!ok) return std::unexpected(ok.error());
  return lanes;
}

Result<Table> Reader::query(std::string_view sql, const Values& values) {
  return statements_of_rooms_.ask(database_, sql, values);
}

Result<std::vector<std::pair<std::string, std::int64_t>>> Reader::crowded_scopes(
    std::int64_t count_max) {
  std::vector<std::pair<std::string, std::int64_t>> crowded;
  const auto seq = last_seq();
  if (!seq) return std::unexpected(seq.error());
  if (count_max == uncrowded_count_max_ && *seq <= uncrowded_until_seq_) return crowded;
  auto ask = statement(fixed_sql::kCrowded);
  if (!ask) return std::unexpected(ask.error());
  std::int64_t fullest = 0;
  auto ok = (*ask)->each(
      [&](const Row& row) {
        fullest = std::max(fullest, row.integer(1));
        if (row.integer(1) > count_max) crowded.emplace_back(row.text(0), row.integer(1));
      },
      count_max);
  if (!ok) return std::unexpected(ok.error());
  uncrowded_count_max_ = count_max;
  uncrowded_until_seq_ = *seq + count_max - fullest;
  return crowded;
}

}  // namespace drover::store::sqlite
