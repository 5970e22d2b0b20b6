// Ownership says whether Drover may trust a path: only its own user and root can change it or
// replace it. The rule is that of sshd (StrictModes) and sudo. Each directory on the way, and each
// link, belongs to this user, to root, or to the owner of `/` (root inside a user namespace). None
// can be written by others, unless it is sticky like /tmp. The file or directory at the end of the
// path belongs to this very user and cannot be written by others. The group of this user alone does
// not count as others (private_group.h).
//
// Checked through descriptors, component by component, so nothing can be exchanged between the
// check and the use: afterwards nobody else can exchange anything either. Every error is
// `unsafe_home` and names the command that fixes it. Any thread.
#pragma once

#include <sys/stat.h>

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace drover {

// Whether an open file belongs to this user and cannot be written by others.
bool is_own(const struct stat& info);
// The same with an error that names `path`.
Result<> check_own(const struct stat& info, const std::string& path);

// Checks the directories and links on the way to `path`, as far as they exist. Succeeds if the rest
// is missing or cannot be reached: creating it fails then, and says why.
Result<> check_way(const std::string& path);
Result<> check_own_directory(const std::string& path);
// Succeeds if there is no such file.
Result<> check_own_file(const std::string& path);

// Opens a file that this user, or root for this user, has written, such as the settings. Empty:
// there is none, or it cannot be reached. Only a regular file can be opened.
Result<Fd> open_trusted(const std::string& path);

// The message of such an error, for a file outside the home: another home would not help there.
std::string message_elsewhere(const Error& error);

}  // namespace drover
