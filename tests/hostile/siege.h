// A Siege is a Flock under attack. It asks what no client would ask, reads what was refused, and
// knows what must hold after every refusal: the same daemon, the same runs, nothing half done.
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

// What an answer refused. `code` is empty if it refused nothing.
struct Refusal {
  int status = 0;  // 0: the connection was closed without an answer.
  std::string code, param, message;
};
Refusal refusal_in(const race::Answer& answer);

class Siege : public ::testing::Test {
 protected:
  // Begins: from here on refusals must change nothing.
  void begin();

  race::Client connect() const { return race::Client(flock_.home().socket()); }
  // One request on a connection of its own, byte by byte as given.
  Refusal ask_raw(std::string_view bytes) const;
  Refusal ask(std::string_view method, std::string_view path, std::string_view body = {},
              std::string_view headers = {}) const;
  // Starts `true` as a run and says how it ended: "completed".
  std::string end_of_a_run() const;
  size_t runs();

  // The daemon is the one it was, has the runs it had, still works, and all of it is verified.
  void expect_untouched();

  tests::Flock flock_;

 private:
  pid_t daemon_ = 0;
  size_t runs_ = 0;
};

// Our programs, for worlds in which Flock does not start them.
std::string program(const char* name);
// The words of a command that runs `argv` as somebody whom permissions bind.
std::vector<std::string> as_nobody(const std::vector<std::string>& argv);
// Whether a mount can be made here; tests that need one then look at what a stranger's kernel does.
bool can_mount();

// Until that file holds that text.
void wait_for_text(const std::string& path, const std::string& text);

// All of a process's line in /proc/<pid>/status, as a number: "VmRSS", "Threads".
long status_of(pid_t pid, const char* field);
size_t descriptors_of(pid_t pid);

}  // namespace drover::hostile
