// The whole command line: from argv to an exit code. What a command does not explain itself is
// explained here.
#pragma once

namespace drover::cli {

int command_line(int argc, char** argv);

}  // namespace drover::cli
