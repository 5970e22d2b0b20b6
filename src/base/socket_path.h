// A SocketPath is the path of a socket as the kernel takes it: at most 107 bytes. A longer one is
// named through a descriptor of its directory, so that a home may lie as deep as its owner likes.
// The short name holds for this process only, and for as long as the SocketPath lives.
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
