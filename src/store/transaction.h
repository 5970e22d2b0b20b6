// A Work is a write that a module above the store defines: a function that runs on the writer's
// thread, inside the transaction, in a savepoint of its own. So a room can change its tables,
// submit a run and append an event in one commit, and exactly-once needs no protocol.
//
//   store.write(Work([id](Transaction& t) -> Result<> {
//     auto ok = t.execute("UPDATE tours SET seen = $1 WHERE id = $2", {t.now(), id});
//     if (!ok) return ok;
//     return t.append({.subject = "tour/" + id, .type = "tour.seen"});
//   }), done);
//
// Its rules. If it returns an error or throws, it is refused: everything it did is undone, and the
// other writes of the commit are kept. It may be called twice, so it must not keep state. It uses
// nothing but the Transaction, and is interrupted if it takes too long (limits::kWorkMs). A Work
// that changes anything appends an event, or records a fact, which appends one: after a commit of
// unknown fate the store looks for that event to find out whether the commit landed.
// `execute_without_event` is the exception, for changes that may be lost.
//
// SQL must be valid in both SQLite and PostgreSQL: $1, $2 … in order, ON CONFLICT, explicit types.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "run/fact.h"

namespace drover::store {

struct Written;

// One value of a row, or a query parameter.
class Value {
 public:
  Value(std::nullptr_t) {}
  Value(std::string text) : value_(std::move(text)) {}
  Value(std::string_view text) : value_(std::string(text)) {}
  Value(const char* text) : value_(std::string(text)) {}
  template <std::integral T>
  Value(T number) : value_(static_cast<std::int64_t>(number)) {}

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  // A value of another type is returned as empty, or 0.
  const std::string& text() const;
  std::int64_t integer() const;

  friend bool operator==(const Value&, const Value&) = default;

 private:
  std::variant<std::nullptr_t, std::int64_t, std::string> value_;
};
using Values = std::vector<Value>;
using Table = std::vector<Values>;  // Rows, in the order of the query.

// An event about a lasting thing that is not a run: a lane, a token, something of a room.
struct SubjectEvent {
  std::string subject;     // "lane/gpu"
  std::string type;        // "lane.set"
  std::string scope = {};  // Readers of this scope see it. Empty: only the owner does.
  std::string data = "{}";
};

class Transaction {
 public:
  virtual ~Transaction() = default;

  virtual WallMs now() const = 0;
  virtual Result<> execute(std::string_view sql, const Values& values) = 0;
  // As `execute`, for a change without an event: one that may be lost or repeated without harm,
  // such as moving a cursor. If the Work appends no other event, a commit that failed may be
  // reported as successful, so code that reads the change back must not rely on it.
  virtual Result<> execute_without_event(std::string_view sql, const Values& values) = 0;
  virtual Result<Table> query(std::string_view sql, const Values& values) = 0;
  virtual Result<std::optional<run::Record>> find(const RunId& id) = 0;
  // Records a fact, judged as always. A refusal undoes only this fact; the Work may continue, or
  // return it. A run cannot be deleted here (`not_in_a_work`): the dispatcher has to remove its
  // files first.
  virtual Result<Written> record(const run::Fact& fact) = 0;
  virtual Result<> append(SubjectEvent subject_event) = 0;
};

using Work = std::function<Result<>(Transaction&)>;

// The tables of a room. Migrations are numbered from 1 for each room. A released migration is never
// edited, only followed by another.
struct RoomSchema {
  std::string_view room;
  std::span<const std::string_view> migrations;
};

}  // namespace drover::store
