// How many submissions per second does the daemon of $DROVER_HOME acknowledge, with K clients at
// once? They go into the lane `parked`, which the caller has filled, so that no run starts.
//
//   bench-submit-rate N K    prints acknowledgments per second
#include <cstdio>
#include <cstdlib>

#include "bench/client.h"

int main(int argc, char** argv) {
  using namespace drover::bench;
  const int total = argc > 1 ? std::atoi(argv[1]) : 10'000;
  const int at_once = argc > 2 ? std::atoi(argv[2]) : 16;
  if (total < 1 || at_once < 1) give_up("usage: bench-submit-rate N K");
  const double found = rate(
      total, at_once,
      [](Client& client) {
        client.post("/api/runs", R"({"command":["/bin/true"],"cwd":"/","lane":"parked"})");
      },
      [](const std::string& answer) {
        if (answer.find(R"("state":"queued")") == std::string::npos) give_up(answer);
      });
  std::printf("%.1f\n", found);
}
