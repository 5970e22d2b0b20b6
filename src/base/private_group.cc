#include "base/private_group.h"

#include <array>
#include <string>

#include "base/fd.h"
#include "base/limits.h"
#include "base/number.h"

namespace drover {
namespace {

// The text up to `end`, which is removed from `rest` together with it.
std::string_view take(std::string_view& rest, char end) {
  const size_t at = rest.find(end);
  const std::string_view head = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return head;
}

// name:password:number:… as in both files.
struct Entry {
  explicit Entry(std::string_view line) {
    for (std::string_view& field : fields) field = take(line, ':');
  }
  std::array<std::string_view, 4> fields;  // Name, password, number, group or members.
};

bool is(std::string_view field, std::uint64_t number) {
  return whole_number(field) == static_cast<std::int64_t>(number);
}

}  // namespace

bool is_private_group(gid_t group, uid_t user, std::string_view groups, std::string_view users) {
  std::string_view name;  // Of the user.
  while (!users.empty()) {
    const Entry entry(take(users, '\n'));
    if (is(entry.fields[2], user)) name = entry.fields[0];
    const bool is_in = is(entry.fields[3], group);
    if (is_in && !is(entry.fields[2], user) && !is(entry.fields[2], 0)) return false;
  }
  if (name.empty()) return false;
  bool found = false;
  while (!groups.empty()) {
    const Entry entry(take(groups, '\n'));
    if (!is(entry.fields[2], group)) continue;
    found = true;
    for (std::string_view members = entry.fields[3]; !members.empty();) {
      const std::string_view member = take(members, ',');
      if (!member.empty() && member != name && member != "root") return false;
    }
  }
  return found;
}

bool is_private_group(gid_t group, uid_t user) {
  const auto groups = read_regular_file("/etc/group", limits::kConfigBytesMax);
  const auto users = read_regular_file("/etc/passwd", limits::kConfigBytesMax);
  return groups && users && is_private_group(group, user, *groups, *users);
}

}  // namespace drover
