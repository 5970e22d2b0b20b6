// What a system call would do to the files of a directory, and how it would fail there. The reading
// of another process's mind, for a FailingDisk.
#pragma once

#include <span>
#include <string>

#include "tests/disk/failing_disk.h"

namespace drover::tests {

std::span<const int> calls_that_change_files();

// The errno with which `question` fails if what is below `directory` is in that trouble; 0: it does
// not.
int error_of(Trouble trouble, const Question& question, const std::string& directory);

}  // namespace drover::tests
