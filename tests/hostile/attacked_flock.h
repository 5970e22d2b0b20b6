// An AttackedFlock is a Flock under attack. It sends invalid requests, reads the errors, and checks
// what must be true after every refusal: the same daemon, the same runs, no partial change.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness.h"
#include "tests/race/client.h"

namespace drover::hostile {

// The error in an answer. `code` is empty if it is not an error.
struct Refusal {
  int status = 0;  // 0: the connection was closed without an answer.
  std::string code, param, message;
};
Refusal refusal_in(const race::HttpAnswer& answer);

class AttackedFlock : public ::testing::Test {
 protected:
  // From now on refused requests must change nothing.
  void begin();

  race::Client connect() const { return race::Client(flock_.home().socket()); }
  // Sends one request on its own connection, byte by byte as given.
  Refusal ask_raw(std::string_view bytes) const;
  Refusal ask(std::string_view method, std::string_view path, std::string_view body = {},
              std::string_view headers = {}) const;
  // Starts `true` as a run and returns its final state: "completed".
  std::string end_of_a_run() const;
  size_t runs();

  // The daemon is the same, has the same runs, still works, and passes verification.
  void expect_untouched();

  tests::Flock flock_;

 private:
  pid_t daemon_ = 0;
  size_t runs_ = 0;
};

// The path of one of our programs, for tests that do not start it through Flock.
std::string program(const char* name);
// Copies our programs to that directory, which any user can reach; the build may not be reachable.
void copy_programs(const std::string& directory);
// The arguments of a command that runs `argv` as an ordinary user.
std::vector<std::string> as_nobody(const std::vector<std::string>& argv);
// Whether this machine permits mounts.
bool can_mount();

// Waits until that file contains that text.
void wait_for_text(const std::string& path, const std::string& text);

// A field of /proc/<pid>/status as a number: "VmRSS", "Threads".
long status_of(pid_t pid, const char* field);
size_t descriptors_of(pid_t pid);
// One line for each descriptor of a process: its number and its target.
std::string name_descriptors(pid_t pid);

}  // namespace drover::hostile
