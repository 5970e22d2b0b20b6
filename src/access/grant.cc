#include "access/grant.h"

#include <array>
#include <utility>

#include "access/launchers.h"
#include "base/limits.h"
#include "store/scopes.h"

namespace drover::access {
namespace {

constexpr auto kNames = std::to_array<std::pair<std::string_view, wire::Permission>>({
    {"read", wire::Permission::read},
    {"run", wire::Permission::run},
    {"cancel", wire::Permission::cancel},
});

constexpr std::string_view kSession = "own";

}  // namespace

Result<Rights> parse_rights(std::string_view text) {
  Rights rights;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    bool known = false;
    for (const auto& [name, can] : kNames) {
      if (name != word) continue;
      rights.add(can);
      known = true;
    }
    if (!known)
      return fail_invalid(
          "can", "can must be read, run or cancel, or several of them separated by commas");
  }
  if (rights.empty())
    return fail_invalid("can", "can is empty; give at least one of read, run and cancel");
  return rights;
}

std::string text_of(const Rights& rights) {
  std::string out;
  for (const auto& [name, can] : kNames) {
    if (rights.has(can)) out.append(out.empty() ? "" : ",").append(name);
  }
  return out;
}

Grant owner_grant() {
  return {};
}

Grant grant_of(const Token& token) {
  if (token.can == kSession) return {.token_id = token.id, .session_host = token.label};
  // Unreadable rights allow nothing.
  return {.is_owner = false,
          .rights = parse_rights(token.can).value_or(Rights{}),
          .scope = token.scope,
          .token_id = token.id};
}

Grant grant_of_run(const RunId& id, std::string_view its_scope) {
  Grant grant{.is_owner = false, .run = id};
  for (const auto& [name, can] : kNames) grant.rights.add(can);
  grant.scope.append(its_scope).append("/").append(id.view());
  return grant;
}

bool reaches(const Grant& grant, const TargetRun& target) {
  if (grant.is_owner || (grant.run && *grant.run == target.id)) return true;
  return store::within_scope(target.scope, grant.scope);
}

Verdict may(const Grant& grant, wire::Permission need, const TargetRun* target) {
  if (grant.is_owner || need == wire::Permission::anyone) return Verdict::yes;
  if (need == wire::Permission::read_all) {
    return grant.rights.has(wire::Permission::read) && grant.scope.empty() ? Verdict::yes
                                                                           : Verdict::no;
  }
  // The same verdict for a run that the caller cannot see, so a refusal does not reveal whether it
  // exists.
  if (need == wire::Permission::own || !grant.rights.has(need)) return Verdict::no;
  if (target != nullptr && !reaches(grant, *target)) return Verdict::unseen;
  return Verdict::yes;
}

std::optional<std::string> narrowed(const Grant& grant, std::string_view asked) {
  if (grant.is_owner || (!asked.empty() && store::within_scope(asked, grant.scope))) {
    return std::string(asked);
  }
  if (store::within_scope(grant.scope, asked)) return grant.scope;
  return std::nullopt;
}

namespace {

std::unexpected<Error> reserved(std::string_view scope, std::string_view kind) {
  const std::string own(scope.substr(0, scope.find('/', kind.size() + 1)));
  return fail(ErrorCode::invalid, "scope_reserved",
              "the scope " + own + " belongs to the " + std::string(kind) +
                  " of that name; choose another scope, or submit with a token for it: `drover "
                  "token create --can run --scope " +
                  own + "`",
              "scope");
}

}  // namespace

Result<std::string> scope_for(const Grant& grant, std::string_view asked) {
  if (grant.is_owner || grant.scope.empty()) {
    if (const std::string_view kind = launcher_of(asked); !kind.empty())
      return reserved(asked, kind);
    return std::string(asked.empty() ? "default" : asked);
  }
  if (asked.empty() || store::within_scope(asked, grant.scope)) {
    std::string scope(asked.empty() ? std::string_view(grant.scope) : asked);
    if (scope.size() <= limits::kScopeBytesMax) return scope;
  } else if (!grant.run) {
    return fail(ErrorCode::invalid, "forbidden",
                "this token may start runs in the scope " + grant.scope + " only", "scope");
  } else if (grant.scope.size() + 1 + asked.size() <= limits::kScopeBytesMax) {
    return grant.scope + "/" + std::string(asked);
  }
  return fail(ErrorCode::exhausted, "nested_too_deep",
              "runs are nested too deeply: a scope may have at most " +
                  std::to_string(limits::kScopeBytesMax) +
                  " bytes; start this run without DROVER_TOKEN, or outside of a run",
              "scope");
}

}  // namespace drover::access
