// A Terminal is a program on a pseudo terminal of a given size: keeps its output, types keys, and
// resizes the window.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "base/fd.h"

namespace drover::tests {

class Terminal {
 public:
  Terminal(const std::vector<std::string>& argv,
           const std::map<std::string, std::string>& extra_env, const std::string& cwd,
           int columns = 80, int rows = 24);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  pid_t pid() const { return pid_; }
  void type(const std::string& keys);
  void resize(int columns, int rows);
  // Reads until `text` has appeared since the last wait. Fails the test if the program exits first.
  void wait_for(const std::string& text);
  // Reads to its end and returns its exit code, 128+N if a signal killed it.
  int finish();
  // Everything that was drawn, including escape codes.
  const std::string& drawn() const { return drawn_; }
  // Whether the terminal echoes and reads lines, as a shell expects it.
  bool is_cooked() const;

 private:
  bool read_some();

  pid_t pid_ = 0;
  Fd master_;
  Fd slave_;  // Kept open, to read its settings after the program has exited.
  std::string drawn_;
  size_t seen_ = 0;
  bool finished_ = false;
};

}  // namespace drover::tests
