// How many /bin/true per second does the daemon of $DROVER_HOME run, from submission to a known
// end, with K in flight?
//
//   bench-run-rate N K    prints runs per second
//
// K keep-alive connections on one thread; each submits a run and waits for its end.
#include <cstdio>
#include <cstdlib>

#include "bench/client.h"

int main(int argc, char** argv) {
  using namespace drover::bench;
  const int total = argc > 1 ? std::atoi(argv[1]) : 2000;
  const int at_once = argc > 2 ? std::atoi(argv[2]) : 8;
  if (total < 1 || at_once < 1) give_up("usage: bench-run-rate N K");
  std::printf("%.1f\n",
              rate(
                  total, at_once,
                  [](Client& client) {
                    client.post("/api/runs?wait=60s", R"({"command":["/bin/true"],"cwd":"/"})");
                  },
                  [](const std::string& answer) {
                    const bool known = answer.find(R"("state":"completed")") != std::string::npos;
                    if (!known) give_up(answer);
                  }));
}
