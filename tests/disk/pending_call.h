// Decides how a system call on the files of a directory fails, for a FailingDisk. It reads the
// call's arguments from the other process's memory.
#pragma once

#include <span>
#include <string>

#include "tests/disk/failing_disk.h"

namespace drover::tests {

std::span<const int> calls_that_change_files();

// The errno with which `call` fails if `directory` has that trouble; 0: it succeeds.
int error_of(Trouble trouble, const PendingCall& call, const std::string& directory);

}  // namespace drover::tests
