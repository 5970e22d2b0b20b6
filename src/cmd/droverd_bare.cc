// droverd-bare, a daemon with no room: it knows commands and nothing else. In a home that droverd
// has used it lists the runs of kinds that it does not know, and leaves them alone.
#include "cmd/daemon_program.h"

int main(int argc, char** argv) {
  return drover::daemon_program(argc, argv, {});
}
