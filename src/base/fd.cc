#include "base/fd.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/read_to_end.h"

namespace drover {

Fd open_file(const char* path, int flags, mode_t mode) {
  int fd = -1;
  do fd = ::open(path, flags, mode);
  while (fd < 0 && errno == EINTR);
  return Fd(fd);
}

Result<std::string> read_to_end(int fd, const std::string& path, size_t bytes_max) {
  std::string text;
  char buffer[16384];
  while (true) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno("cannot read " + path, errno);
    if (n == 0) return text;
    text.append(buffer, static_cast<size_t>(n));
    if (text.size() > bytes_max) {
      return fail(ErrorCode::exhausted, "file_too_large", path + " is larger than allowed");
    }
  }
}

void fill_standard_descriptors() {
  int fd = ::open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::open("/dev/null", O_RDWR);
  if (fd >= 0) ::close(fd);
}

Result<> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return fail_errno("cannot write", errno);
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

Result<std::string> read_file(const std::string& path, size_t bytes_max) {
  const Fd fd = open_file(path, O_RDONLY | O_CLOEXEC);
  if (!fd) return fail_errno("cannot open " + path, errno);
  return read_to_end(fd.get(), path, bytes_max);
}

Result<std::string> read_regular_file(const std::string& path, size_t bytes_max) {
  const Fd fd = open_file(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (!fd) return fail_errno("cannot open " + path, errno);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return fail_errno("cannot stat " + path, errno);
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::invalid, "not_a_file",
                path + (S_ISDIR(info.st_mode) ? " is a directory" : " is not a regular file"));
  }
  return read_to_end(fd.get(), path, bytes_max);
}

Result<> replace_file(const std::string& path, std::string_view bytes) {
  const std::string aside = path + ".new";
  Fd fd = open_file(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (!fd) return fail_errno("cannot create " + aside, errno);
  if (auto written = write_all(fd.get(), bytes); !written) return written;
  if (::fdatasync(fd.get()) != 0) return fail_errno("cannot sync " + aside, errno);
  if (::rename(aside.c_str(), path.c_str()) != 0) {
    return fail_errno("cannot rename " + aside, errno);
  }
  return {};
}

Result<> make_private_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) {
    struct stat st{};
    if (::stat(path.c_str(), &st) != 0) return fail_errno("cannot stat " + path, errno);
    if (!S_ISDIR(st.st_mode)) return fail_errno(path, ENOTDIR);
    return {};
  }
  if (errno != ENOENT) return fail_errno("cannot create the directory " + path, errno);
  const std::string above = std::filesystem::path(path).parent_path().string();
  if (above.empty() || above == path)
    return fail_errno("cannot create the directory " + path, ENOENT);
  if (auto made = make_private_directory(above); !made) return made;
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail_errno("cannot create the directory " + path, errno);
  }
  return {};
}

Result<> remove_tree(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);  // Unlinks links; does not follow them.
  if (error) return fail_errno("cannot remove " + path, error.value());
  return {};
}

}  // namespace drover
