// A private group has one user, as distributions create it for each account, so group-writable
// means writable by the owner only. Read from /etc/group and /etc/passwd, not through the name
// service, which statically linked programs cannot use; a group that is not in the file is not
// private.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace drover {

// Whether nobody but `user` and root is in `group`.
bool is_private_group(gid_t group, uid_t user);

// Pure: the same from the texts of the two files.
bool is_private_group(gid_t group, uid_t user, std::string_view groups, std::string_view users);

}  // namespace drover
