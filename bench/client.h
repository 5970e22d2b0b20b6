// A Client is one keep-alive connection to the daemon of $DROVER_HOME, for benchmarks: it sends
// requests and reads answers, and never waits longer than its caller says. On an error it exits the
// program: a benchmark that fails has no result.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"

namespace drover::bench {

[[noreturn]] void give_up(const std::string& why);

class Client {
 public:
  Client();  // Connects.

  int fd() const { return socket_.get(); }
  // `headers`: whole lines, each with its end.
  void post(std::string_view target, std::string_view body, std::string_view headers = {});
  void get(std::string_view target);

  // Reads the available bytes. True: `answer` is a whole body, of an answer with status 200 or 202.
  bool take(std::string& answer);

 private:
  Fd socket_;
  std::string text_;
};

// Sends `total` requests with `ask`, at most `at_once` at a time, and passes each answer to
// `check`. Returns the answers per second.
double rate(int total, int at_once, void (*ask)(Client&), void (*check)(const std::string&));

}  // namespace drover::bench
