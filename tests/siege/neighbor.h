// A Neighbor is a user of the same machine with a daemon of its own: another uid, where the tests
// run as root. Nothing of it is ever broken on purpose, so nothing excuses it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/harness.h"
#include "tests/siege/latency.h"

namespace drover::siege {

class Neighbor {
 public:
  Neighbor();
  ~Neighbor();  // Stops its daemon.
  Neighbor(const Neighbor&) = delete;
  Neighbor& operator=(const Neighbor&) = delete;

  // `drover run` with a known output and exit code.
  void run_one();
  void begin_siege() { during_ = &siege_; }
  void end_siege() { during_ = &after_; }
  void expect_verified();
  std::uint16_t port() const { return port_; }  // Of its daemon, with TLS.
  pid_t daemon() const { return daemon_; }
  // Before or after the siege, whichever was slower: other programs use the machine, too.
  const Latencies& quiet() const { return before_.median() > after_.median() ? before_ : after_; }
  const Latencies& siege() const { return siege_; }

 private:
  tests::Output shell(const std::string& script);
  tests::Output drover(const std::vector<std::string>& words);

  std::string root_;
  std::map<std::string, std::string> environment_;
  int next_ = 0;
  pid_t daemon_ = 0;
  std::uint16_t port_ = 0;
  Latencies before_, siege_, after_;
  Latencies* during_ = &before_;
};

}  // namespace drover::siege
