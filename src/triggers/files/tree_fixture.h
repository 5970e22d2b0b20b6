// TestTree is a real directory tree that a test changes.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

#include "testing/directory.h"
#include "triggers/files/snapshot.h"

namespace drover::triggers {

class TestTree {
 public:
  // The root is a directory in a directory of its own, so that tests can remove and move it.
  std::string root() const { return directory_.path() + "/root"; }
  std::string at(const std::string& path) const { return root() + "/" + path; }
  std::string above(const std::string& path) const { return directory_.path() + "/" + path; }

  TestTree() { std::filesystem::create_directory(root()); }

  // Creates missing directories. Each call writes another text: files differ in size.
  void write(const std::string& path) { write_text(path, std::string(++writes_, 'x')); }
  void write_text(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(at(path)).parent_path());
    std::ofstream out(at(path), std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) throw std::runtime_error("cannot write " + at(path));
  }
  void remove(const std::string& path) { std::filesystem::remove_all(at(path)); }
  void move(const std::string& from, const std::string& to) {
    std::filesystem::create_directories(std::filesystem::path(at(to)).parent_path());
    std::filesystem::rename(at(from), at(to));
  }

  // All regular files, read by other means than ours.
  std::map<std::string, std::uint64_t> files() const {
    std::map<std::string, std::uint64_t> out;
    if (!std::filesystem::exists(root())) return out;
    for (const auto& each : std::filesystem::recursive_directory_iterator(root())) {
      if (each.is_regular_file()) {
        out[each.path().string().substr(root().size() + 1)] = each.file_size();
      }
    }
    return out;
  }

 private:
  testing::TestDirectory directory_{testing::DirectoryPlace::memory};
  size_t writes_ = 0;
};

}  // namespace drover::triggers
