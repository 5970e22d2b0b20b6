// A SocketPath is a socket's path as the kernel accepts it: at most 107 bytes. A longer path is
// named through a descriptor of its directory, so that a home may lie at any depth. The short path
// is valid in this process only, and while the SocketPath lives.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace drover {

class SocketPath {
 public:
  // Fails if the directory cannot be opened, or the name alone is too long.
  static Result<SocketPath> of(const std::string& path);

  const std::string& str() const { return short_; }

 private:
  Fd directory_;
  std::string short_;
};

}  // namespace drover
