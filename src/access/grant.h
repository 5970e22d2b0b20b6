// A Grant says what a caller may do, and to which runs. Pure. tests/hostile/every_caller_test calls
// every operation as every kind of caller.
//
//   the owner       everything
//   a token         what its `can` names, to the runs of its scope and of those below it
//   a run's token   to read, run and cancel: itself, and what was started with its token. That lies
//                   in the scope <the run's scope>/<its id>, so that it is found by its scope
//                   alone.
//
// What a caller may not see is not there: it gets `not_found`, as for a run that never was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "access/token.h"
#include "base/id.h"
#include "base/result.h"
#include "wire/operation.h"

namespace drover::access {

// A set of what may be done: read, run and cancel.
class Rights {
 public:
  constexpr void add(wire::Permission can) { bits_ |= bit(can); }
  constexpr bool has(wire::Permission can) const { return (bits_ & bit(can)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr bool operator==(const Rights&, const Rights&) = default;

 private:
  static constexpr unsigned bit(wire::Permission can) { return 1U << static_cast<unsigned>(can); }
  unsigned bits_ = 0;
};

// "read,run,cancel", in any order; `invalid_value` names what it would take.
Result<Rights> parse_rights(std::string_view text);
std::string text_of(const Rights& rights);

struct Grant {
  bool is_owner = true;
  Rights rights = {};             // Of one who is not.
  std::string scope = {};         // This scope and those below it; empty: all.
  std::optional<RunId> run = {};  // Whose own token this is.
  std::string token_id = {};      // Which token or session; empty: none that is kept.

  // The subject whose event ends this grant: its token, or its run. Empty: nothing ends it.
  std::string subject() const {
    if (run) return "run/" + run->str();
    return token_id.empty() ? "" : subject_of_token(token_id);
  }
};

Grant owner_grant();
Grant grant_of(const Token& token);
Grant grant_of_run(const RunId& id, std::string_view its_scope);

// What an operation is about, if it is about a run.
struct Subject {
  RunId id;
  std::string_view scope;
};

enum class Verdict : std::uint8_t {
  yes,
  no,      // It may not do that, to whatever run.
  unseen,  // It may, but not to this one: there is no such run for it.
};
Verdict may(const Grant& grant, wire::Permission need, const Subject* subject = nullptr);

// Whether `grant` reaches that run.
bool reaches(const Grant& grant, const Subject& subject);

// The part of scope `asked` (empty: all) that `grant` reaches. Nothing: none of it.
std::optional<std::string> narrowed(const Grant& grant, std::string_view asked);

// Where a run goes that this caller asks for; `asked` is empty if it did not say. What a run asks
// for comes to lie below it, wherever it wanted it; anybody else must stay within its scope.
Result<std::string> scope_for(const Grant& grant, std::string_view asked);

}  // namespace drover::access
