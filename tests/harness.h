// A Flock is one Drover of a test's own: a home in a temporary directory, the real programs, and
// the means to call, kill and look at them from outside. It leaves no process and no file behind.
#pragma once

#include <sys/types.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/home.h"
#include "process/marks.h"
#include "process/tree.h"

namespace drover::tests {

struct Output {
  int code = -1;  // 128+N if a signal killed it.
  std::string out;
  std::string err;
};

// A running program and its output so far.
class Started {
 public:
  Started(const std::vector<std::string>& argv, const std::map<std::string, std::string>& extra_env,
          const std::string& input, const std::string& cwd = "");
  ~Started();
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Reads until stdout contains `text`. Fails the test if the program exits first.
  void wait_for(const std::string& text);
  void wait_for_error(const std::string& text);
  // Reads to the end and waits for the program.
  Output finish();

 private:
  bool read_some();

  pid_t pid_ = 0;
  Fd out_, err_;
  Output output_;
  bool finished_ = false;
};

class Flock {
 public:
  Flock();
  ~Flock();
  Flock(const Flock&) = delete;
  Flock& operator=(const Flock&) = delete;

  // Runs `drover …` to its end.
  Output drover(const std::vector<std::string>& words, const std::string& input = {});
  // The same; it must succeed. Returns its standard output without the last newline.
  std::string ok(const std::vector<std::string>& words, const std::string& input = {});
  // The same with --json, parsed.
  boost::json::object json(std::vector<std::string> words);
  // Starts `drover …`.
  std::unique_ptr<Started> start(const std::vector<std::string>& words,
                                 const std::string& input = {});

  // Starts a detached run of a shell script and returns its id.
  std::string run(const std::string& script, const std::vector<std::string>& options = {});
  boost::json::object show(const std::string& id) { return json({"show", id}); }
  // Waits until the run has finished, in any state, and returns the record.
  boost::json::object ended(const std::string& id);
  // Waits until the run has been in that state, or that event has happened.
  void wait_for_state(const std::string& id, const std::string& state);
  void wait_for_state_event(const std::string& id, const std::string& type);

  // Sends one raw HTTP request to the daemon's socket; returns status line, headers and body.
  std::string http(const std::string& request);
  Fd connect() const;

  // The daemon's pid; starts one if necessary.
  pid_t daemon();
  pid_t cradle();
  pid_t keeper_of(const std::string& id);
  void wait_for_keeper(const std::string& id);  // Until it has exited.
  void kill_daemon();                           // kill -9, and waits until it is gone.
  Output droverd(const std::vector<std::string>& words);

  // The processes of all runs of this flock.
  std::vector<process::Member> alive() const;
  void expect_verified();

  const Home& home() const { return home_; }
  std::string file(const std::string& name) const { return root_ + "/" + name; }
  void touch(const std::string& name) const;
  void wait_for_file(const std::string& name) const;
  // A piece of shell script that writes the shell's pid to that file, which appears with its
  // content.
  std::string note_pid(const std::string& name) const;
  // Waits for that file and returns the pid in it.
  pid_t noted_pid(const std::string& name) const;
  std::map<std::string, std::string> environment;
  std::string programs = DROVER_BIN;  // The directory of drover and droverd.

 private:
  std::string root_;
  Home home_;
};

// A pidfd, and a wait for the process's end.
Fd open_pid(pid_t pid);
void wait_gone(const Fd& pidfd);

// The current cradle: of the daemon's children, the newest that leads a process session. The
// keepers of a dead cradle are children of the daemon, too. 0: there is no cradle now.
pid_t cradle_of(pid_t daemon);

std::string text_of(const boost::json::object& object, const std::string& key);
// A script that waits until that file exists. The sleep is in the command, not in the test.
std::string until_file(const std::string& path);

}  // namespace drover::tests
