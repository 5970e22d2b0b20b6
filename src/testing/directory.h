// A TestDirectory is a new, private, empty directory that is removed with its owner.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "base/fd.h"

namespace drover::testing {

// `memory`: on tmpfs if there is one, where a sync costs nothing; for tests that commit thousands
// of times.
enum class DirectoryPlace : std::uint8_t { disk, memory };

class TestDirectory {
 public:
  explicit TestDirectory(DirectoryPlace place = DirectoryPlace::disk) {
    const char* base = std::getenv("TMPDIR");
    if (base == nullptr) base = "/tmp";
    if (place == DirectoryPlace::memory && ::access("/dev/shm", W_OK) == 0) base = "/dev/shm";
    path_ = std::string(base) + "/drover-test-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot create " + path_);
  }
  ~TestDirectory() { (void)remove_tree(path_); }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace drover::testing
