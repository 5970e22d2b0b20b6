// A Terminal is a program under a pseudo terminal of a given size, as a person would have it: what
// it draws is kept as it comes, keys can be typed, the window can be resized.
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
  // Reads on until `text` has come since the last wait. Fails the test if the program ends first.
  void wait_for(const std::string& text);
  // Reads to its end and returns its exit code, 128+N if a signal ended it.
  int finish();
  // All that was drawn, escape codes and all.
  const std::string& drawn() const { return drawn_; }
  // Whether the line discipline is as a shell wants it: echoing, by lines.
  bool is_cooked() const;

 private:
  bool read_some();

  pid_t pid_ = 0;
  Fd master_;
  Fd slave_;  // Kept open: its settings are looked at after the program has gone.
  std::string drawn_;
  size_t seen_ = 0;
  bool finished_ = false;
};

}  // namespace drover::tests
