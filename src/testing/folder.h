// A TestFolder is a new, private, empty folder that goes with its owner, and all that is in it.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "base/fd.h"

namespace drover::testing {

// In memory a sync costs nothing, where there is such a place: for tests that commit thousands of
// times and care about the answers only.
enum class FolderPlace : std::uint8_t { disk, memory };

class TestFolder {
 public:
  explicit TestFolder(FolderPlace place = FolderPlace::disk) {
    const char* base = std::getenv("TMPDIR");
    if (base == nullptr) base = "/tmp";
    if (place == FolderPlace::memory && ::access("/dev/shm", W_OK) == 0) base = "/dev/shm";
    path_ = std::string(base) + "/drover-test-XXXXXX";
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
