#include "inbox/memory_name.h"

#include <algorithm>

#include "access/launchers.h"
#include "base/text.h"
#include "inbox/limits.h"
#include "store/scopes.h"

namespace drover::inbox {

bool is_plain_name(std::string_view name) {
  const auto may_stand = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kMemoryNameBytesMax && name.front() != '.' &&
         name.front() != '-' && std::ranges::all_of(name, may_stand);
}

Result<MemoryName> MemoryName::parse(std::string_view text) {
  const size_t slash = text.find('/');
  const std::string_view sort = text.substr(0, slash);
  const bool is_named = slash != std::string_view::npos && (sort == "space" || sort == "app") &&
                        is_plain_name(text.substr(slash + 1));
  if (text == "user" || is_named) return MemoryName{.text = std::string(text)};
  return fail(ErrorCode::not_found, "not_found",
              "there is no memory " + bounded(text, 64) +
                  "; a memory is named user, space/NAME or app/NAME",
              "memory");
}

MemoryAccess access_to(const access::Grant& grant, const MemoryName& name) {
  if (grant.is_owner || (grant.scope.empty() && !grant.run)) return MemoryAccess::write;
  if (name.text != "user") {
    return store::within_scope(grant.scope, name.text) ? MemoryAccess::write : MemoryAccess::none;
  }
  const bool is_app = grant.run && access::launcher_of(grant.scope) == "app";
  return is_app ? MemoryAccess::read : MemoryAccess::none;
}

}  // namespace drover::inbox
