// Holdings are the descriptors and the memory of a daemon at one moment. Whatever was done to it,
// it gives them back.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace drover::siege {

struct Holdings {
  size_t descriptors = 0;
  long resident_kb = 0;
  std::string names;  // Of the descriptors, a line each.
};

Holdings holdings_of(pid_t daemon);

// `ask` sends the daemon any request: it notices closed connections only while it works.
void expect_back(const Holdings& before, pid_t daemon, const std::function<void()>& ask);

}  // namespace drover::siege
