// The whole command line: from argv to an exit code. Errors are explained here and nowhere else.
#pragma once

namespace drover::cli {

int command_line(int argc, char** argv);

}  // namespace drover::cli
