// drover, the command line.
#include "base/fd.h"
#include "cli/command_line.h"

int main(int argc, char** argv) {
  drover::fill_standard_descriptors();
  return drover::cli::command_line(argc, argv);
}
