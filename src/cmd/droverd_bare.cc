// droverd-bare, a daemon without rooms: its only kind of run is the command. In a home that droverd
// has used, it lists the runs of unknown kinds and leaves them alone.
#include "cmd/daemon_program.h"

int main(int argc, char** argv) {
  return drover::daemon_program(argc, argv, {});
}
