#include "process/fork_count.h"

#include <cstdlib>

#include "base/fd.h"

namespace drover::process {
namespace {

constexpr std::int64_t kReadEveryNs = 60'000'000'000;

}  // namespace

std::uint64_t ForkCount::at(std::int64_t mono_ns) {
  if (read_at_ == 0 || mono_ns - read_at_ > kReadEveryNs) {
    count_ = forks_since_boot();
    read_at_ = mono_ns;
  }
  return count_;
}

std::uint64_t forks_since_boot() {
  const auto text = read_file("/proc/stat", 16 * 1024 * 1024);  // A line per processor.
  const size_t at = text ? text->find("\nprocesses ") : std::string::npos;
  return at == std::string::npos ? 0 : std::strtoull(text->c_str() + at + 11, nullptr, 10);
}

bool may_be_reused(std::uint64_t forks) {
  const std::uint64_t now = forks_since_boot();
  const auto text = read_file("/proc/sys/kernel/pid_max", 64);
  if (forks == 0 || now < forks || !text) return true;
  return now - forks >= std::strtoull(text->c_str(), nullptr, 10) / 2;
}

}  // namespace drover::process
