// A stored entry is a row of the table `inbox_entries`. These functions read and change rows; they
// decide nothing (decision.h does).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "access/grant.h"
#include "base/result.h"
#include "inbox/entry.h"
#include "store/reads.h"
#include "store/transaction.h"

namespace drover::inbox {

std::unexpected<Error> no_such_entry(std::string_view text);

struct EntryQuery {
  bool open_only = true;
  std::string run_id = {};                  // Empty: of all runs.
  std::string app = {};                     // Empty: of all apps, and of none.
  std::optional<Type> type = {};            // Not set: all.
  std::optional<std::int64_t> before = {};  // Entries with a smaller number: the next page.
  size_t limit = 100;
};

struct NumberedEntry {
  std::int64_t number = 0;
  Entry entry;
};

// Those that `grant` covers, newest first.
Result<std::vector<NumberedEntry>> list_entries(store::Reads& store, const access::Grant& grant,
                                                const EntryQuery& query);

// The entry of that id, or the only one that `grant` covers whose id begins so; `question_` and
// `report_` may be left out. `not_found`; `ambiguous_id`.
Result<Entry> find_entry(store::Reads& store, const access::Grant& grant, const std::string& text);
// The exact id.
Result<Entry> find_entry(store::Transaction& transaction, const std::string& id);
// The entry that a run recorded under a key, if any.
Result<std::optional<Entry>> find_by_key(store::Reads& store, const std::string& run_id,
                                         const std::string& key);
Result<std::optional<Entry>> find_by_key(store::Transaction& transaction, const std::string& run_id,
                                         const std::string& key);

struct OpenCounts {
  std::int64_t of_run = 0;
  std::int64_t all = 0;
};
Result<OpenCounts> count_open(store::Transaction& transaction, const std::string& run_id);

// Refuses (`quota_exceeded`) another question of this scope if the inbox is crowded and the scope,
// with those below it, has more than its share (limits.h).
Result<> check_share(store::Reads& store, const std::string& scope);

// Open questions whose deadline has passed at `now`, and when the next one does.
Result<std::vector<Entry>> due_questions(store::Reads& store, WallMs now, size_t limit);
Result<std::optional<WallMs>> next_deadline(store::Reads& store);
// The open questions for whose answers processes of that run wait; of all runs, if it is empty.
Result<std::vector<Entry>> waiting_questions(store::Reads& store, const std::string& run_id);

Result<> insert_entry(store::Transaction& transaction, const Entry& entry, const std::string& key);
// Writes how the question was closed.
Result<> close_entry(store::Transaction& transaction, const Entry& question);
// Removes the oldest closed entries of a run beyond `keep`. An open question stays.
Result<> trim_run(store::Transaction& transaction, const std::string& run_id, std::int64_t keep);
// The same for all runs, at most `rows` at once.
Result<> trim_all(store::Transaction& transaction, std::int64_t keep, size_t rows);

}  // namespace drover::inbox
