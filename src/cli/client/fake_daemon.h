// A FakeDaemon is a scripted daemon for tests: it listens on the socket of its own home and answers
// each request as the test's script says, byte by byte if necessary. Each connection has its own
// thread, so the script must be thread-safe. A Program is the real `drover`, started in that home.
#pragma once

#include <boost/json/parse.hpp>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/fd.h"

namespace drover::cli {

struct ReceivedRequest {
  std::string method;
  std::string target;
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;
  bool is(std::string_view a_method, std::string_view prefix) const {
    return method == a_method && target.starts_with(prefix);
  }
};

// How a script answers one request.
class Reply {
 public:
  // With `frames`, a stream is sent as frames, as the request asks for.
  explicit Reply(int fd, bool frames = false) : fd_(fd), frames_(frames) {}
  void bytes(std::string_view raw);
  void json(unsigned status, std::string_view body);
  void with_header(unsigned status, std::string_view header, std::string_view body);
  void error(unsigned status, std::string_view type, std::string_view code);
  void begin_stream();
  void event(std::string_view id, std::string_view type, std::string_view data);
  void chunk(std::string_view body);
  void end_stream();
  void cut() { cut_ = true; }  // Closes the connection without sending more.
  bool was_cut() const { return cut_; }

 private:
  void frame(std::string_view id, std::string_view type, std::string_view data);

  int fd_;
  bool frames_;
  bool cut_ = false;
};

class FakeDaemon {
 public:
  using Script = std::function<void(const ReceivedRequest&, Reply&)>;
  explicit FakeDaemon(Script script);
  ~FakeDaemon();

  const std::string& home() const { return home_; }
  std::string socket() const { return home_ + "/run/drover.sock"; }
  // Waits until `count` such requests were received, and returns the last of them.
  ReceivedRequest await(std::string_view method, std::string_view prefix, size_t count = 1);
  size_t count(std::string_view method, std::string_view prefix);
  void go_away();  // Stops listening; open connections continue.
  void come_back();

 private:
  void listen_loop(int listener);
  void serve(int fd);

  Script script_;
  std::string home_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ReceivedRequest> heard_;
  std::vector<int> open_;
  Fd listener_;
  std::thread listening_;
  std::vector<std::thread> threads_;
};

// A script that answers every request in the same way.
inline FakeDaemon::Script always(unsigned status, std::string body) {
  return [=](const ReceivedRequest&, Reply& reply) { reply.json(status, body); };
}

// The end of a Program: its exit code, or the negative number of the signal that killed it.
struct ProgramResult {
  int code = 0;
  std::string out;
  std::string err;
};

class Program {
 public:
  struct Setting {
    std::string home;
    std::vector<std::string> environment = {};  // NAME=value, added to ours.
    std::string input = {};                     // Its whole standard input.
    std::string program = DROVER_PROGRAM;
    int out = -1;  // Its standard output; -1: captured.
  };
  Program(const std::vector<std::string>& words, const Setting& setting);
  void signal(int number) const;
  ProgramResult wait();

 private:
  pid_t pid_ = 0;
  Fd out_;
  Fd err_;
};

inline ProgramResult drover_says(const std::vector<std::string>& words, const std::string& home) {
  return Program(words, {.home = home}).wait();
}

// The JSON object that a program has printed.
inline boost::json::object parsed(const std::string& text) {
  return boost::json::parse(text).get_object();
}

}  // namespace drover::cli
