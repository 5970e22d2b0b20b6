// Parsers for the files of /proc that a diagnosis reads. Pure: text in, facts out. They skip lines
// in an unknown format, because a newer kernel may write them differently.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/scene.h"

namespace drover::diagnosis {

// /proc/PID/syscall: "0 0x3 0x7f… …". Empty: "running", or unreadable.
struct SystemCall {
  long number = -1;
  std::array<std::uint64_t, 6> arguments{};
};
std::optional<SystemCall> parse_syscall(std::string_view text);
// "read", or "syscall 999".
std::string call_name(long number);
// Whether the call's first argument is the descriptor it waits for.
bool takes_descriptor(std::string_view call);

// /proc/locks: the waiting processes ("->"), each with the holder of its lock. Does not fill in
// names.
std::vector<LockWait> parse_lock_waits(std::string_view text);

// /proc/PID/fdinfo/N of an epoll: the descriptors it watches.
std::vector<int> parse_epoll(std::string_view text);

// /proc/PID/net/{tcp,tcp6,unix}: a description for each socket's inode.
void parse_internet(std::string_view text, std::string_view protocol,
                    std::map<std::uint64_t, std::string>& out);
void parse_unix(std::string_view text, std::map<std::uint64_t, std::string>& out);

// The value of "name: 123" in a text of such lines.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view name);

}  // namespace drover::diagnosis
