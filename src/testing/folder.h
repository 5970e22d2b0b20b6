// A TestFolder is a new, private, empty folder that goes with its owner, and all that is in it.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "base/fd.h"

namespace drover::testing {

class TestFolder {
 public:
  TestFolder() {
    const char* base = std::getenv("TMPDIR");
    path_ = std::string(base == nullptr ? "/tmp" : base) + "/drover-test-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot create " + path_);
  }
  ~TestFolder() { (void)remove_tree(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace drover::testing
