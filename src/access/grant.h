// A Grant says what a caller may do, and to which runs. Pure. tests/hostile/every_caller_test calls
// every operation as every kind of caller.
//
//   the owner       everything
//   a token         what its `can` names, to the runs of its scope and of those below it
//   a run's token   read, run and cancel, for itself and the runs started with its token. Those
//                   are in the scope <the run's scope>/<its id>, so the scope alone identifies
//                   them.
//
// For a caller, a run that it may not see does not exist: the answer is `not_found`.
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

// A set of permissions: read, run and cancel.
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

// Parses "read,run,cancel", in any order. The error `invalid_value` lists the valid names.
Result<Rights> parse_rights(std::string_view text);
std::string text_of(const Rights& rights);

struct Grant {
  bool is_owner = true;
  Rights rights = {};             // If not the owner.
  std::string scope = {};         // This scope and those below it; empty: all.
  std::optional<RunId> run = {};  // The run that this token belongs to.
  std::string token_id = {};      // Of the stored token or browser session; empty: neither.
  std::string session_host = {};  // Of a browser session: the only Host that it is valid for.

  // The subject whose event ends this grant: its token, or its run. Empty: no event ends it.
  std::string subject() const {
    if (run) return "run/" + run->str();
    return token_id.empty() ? "" : subject_of_token(token_id);
  }
};

Grant owner_grant();
Grant grant_of(const Token& token);
Grant grant_of_run(const RunId& id, std::string_view its_scope);

// The run that an operation is about, if any.
struct TargetRun {
  RunId id;
  std::string_view scope;
};

enum class Verdict : std::uint8_t {
  yes,
  no,      // It may not do that to any run.
  unseen,  // It may, but not to this run: for this caller it does not exist.
};
Verdict may(const Grant& grant, wire::Permission need, const TargetRun* target = nullptr);

// Whether `grant` covers that run.
bool reaches(const Grant& grant, const TargetRun& target);

// The part of scope `asked` (empty: all) that `grant` covers. Empty result: no part of it.
std::optional<std::string> narrowed(const Grant& grant, std::string_view asked);

// The scope of a new run; `asked` is empty if the caller named none. A run started by a run always
// goes below it; any other caller must stay within its scope. The scope of a launcher is for
// callers with a token for it (access/launchers.h).
Result<std::string> scope_for(const Grant& grant, std::string_view asked);

}  // namespace drover::access
