// The Reader answers every query of the Store on a connection of its own, so that a read never
// waits for a commit. Each answer is one statement, read to its end: it is a snapshot, and no read
// transaction outlives it (one that did would prevent the WAL from being reused), unless a longer
// snapshot was begun.
//
// Used by one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/sqlite/database.h"
#include "store/sqlite/free_statements.h"
#include "store/sqlite/options.h"
#include "store/store.h"

namespace drover::store::sqlite {

class Reader {
 public:
  // The database must exist with its schema: open a Clerk first.
  static Result<std::unique_ptr<Reader>> open(const std::string& path, const Options& options);

  Result<std::optional<run::Record>> find(const RunId& id);
  Result<std::vector<RunId>> find_prefix(const std::string& prefix, size_t limit);
  Result<std::vector<run::Record>> list(const Query& query);
  Result<std::vector<run::Event>> events(const EventQuery& query);
  Result<std::optional<run::Event>> final_event(const RunId& id);
  Result<std::int64_t> compacted_through();
  Result<StoreSizes> sizes();
  Result<bool> knows_key(const std::string& scope, const std::string& key);
  Result<std::int64_t> last_seq();
  Result<std::vector<Lane>> lanes();
  // The stored ones, and `current`, which may not be stored yet.
  Result<Epochs> epochs(Epoch current);
  Result<Table> query(std::string_view sql, const Values& values);
  Result<std::vector<std::pair<std::string, std::int64_t>>> crowded_scopes(std::int64_t count_max);

  // All answers in between are of one moment: that of the first.
  Result<> begin_snapshot();
  void end_snapshot();
  sqlite3* raw() const { return database_.raw(); }

 private:
  explicit Reader(Database database) : database_(std::move(database)) {}

  // The final event of a run whose events are compacted.
  Result<std::optional<run::Event>> compacted_event(const RunId& id);

  // Statements are cached by their text; queries have a limited number of forms.
  Result<Statement*> statement(const std::string& sql);

  Database database_;
  std::unordered_map<std::string, Statement> statements_;
  FreeStatements statements_of_rooms_;

  // Counting every scope takes long in a large store. Each finish is an event, so no scope can be
  // crowded before as many events were added as the fullest scope had room for at the last count.
  std::int64_t uncrowded_count_max_ = -1;
  std::int64_t uncrowded_until_seq_ = -1;
};

}  // namespace drover::store::sqlite
