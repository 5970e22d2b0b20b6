// drover, the command line.
#include "cli/command_line.h"

int main(int argc, char** argv) {
  return drover::cli::command_line(argc, argv);
}
