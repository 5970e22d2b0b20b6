// Fd is an open file descriptor that closes itself.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace drover {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { close(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

// Opens a file; a signal that arrives meanwhile does not make it fail.
Fd open_file(const char* path, int flags, mode_t mode = 0);
inline Fd open_file(const std::string& path, int flags, mode_t mode = 0) {
  return open_file(path.c_str(), flags, mode);
}

// Opens /dev/null for each of descriptors 0, 1 and 2 that is closed; the first call of a program.
// Otherwise the next opened file would become its standard input, output or error.
void fill_standard_descriptors();

// Writes all of `bytes` to a file; continues after short writes and interruptions.
Result<> write_all(int fd, std::string_view bytes);

// Reads a whole file of at most `bytes_max`; a larger one is an error, not a truncation.
Result<std::string> read_file(const std::string& path, size_t bytes_max);
// The same for a path that somebody else chose: anything but a regular file is refused
// (`not_a_file`), because reading a pipe, for example, could block forever.
Result<std::string> read_regular_file(const std::string& path, size_t bytes_max);

// Writes a private file (0600) atomically: to a temporary name, then renamed.
Result<> replace_file(const std::string& path, std::string_view bytes);

// Creates `path` and its missing parents, private to the owner (0700).
Result<> make_private_directory(const std::string& path);

// Removes a directory and its contents; never follows a link out of it. Succeeds if it is missing.
Result<> remove_tree(const std::string& path);

}  // namespace drover
