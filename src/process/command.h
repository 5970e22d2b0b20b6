// A Command is what a keeper has to run. The daemon writes it into the run's file, after the
// journal; the keeper reads it with one read and almost no parsing. docs/keeper-files.md describes
// the layout. The environment comes last, so that truncating the file removes it (R15).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/journal.h"
#include "base/resource_limits.h"
#include "base/result.h"

namespace drover::process {

// pty: standard input, output and error are one terminal.
enum class StdinMode : std::uint16_t { none, pipe, pty };

struct Command {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // "NAME=value"
  std::string cwd;
  StdinMode stdin_mode = StdinMode::none;
  TerminalSize terminal = {};  // The initial size of a pty.
  std::uint32_t umask = 022;
  std::int64_t timeout_ms = 0;       // 0: none.
  std::int64_t idle_timeout_ms = 0;  // 0: none.
  std::int64_t grace_ms = 0;
  std::uint64_t output_bytes_max = 0;
  // The keeper leaves the environment in the file when the command has finished: the next attempt
  // needs it, and the daemon removes it later.
  bool keeps_environment = false;
  // A client passes on all of the output: the keeper rotates nothing away before that client has
  // read it, within the reserve (base/output_file.h).
  bool has_exact_reader = false;
  ResourceLimits limits = {};
  // An absolute path. The keeper locks byte kLockedByte of this file, created if it is missing,
  // until everything that the command started is gone; the launch fails if the byte is locked.
  // Empty: none.
  std::string lock_file = {};
  // An absolute path, only with a lock file, which can be deleted: the keeper locks the same byte
  // of this directory too (base/directory_lock.h), if its file system can. Empty: none.
  std::string lock_directory = {};
  // A note that only the daemon reads, in its own format; no NUL. It stays in the file when the
  // environment is removed. Empty: none.
  std::string note = {};
};

inline constexpr std::int64_t kLockedByte = 1;

struct CommandHeader {
  char magic[8] = {'D', 'R', 'V', 'S', 'P', 'E', 'C', '1'};
  std::uint32_t argument_count = 0;
  std::uint32_t environment_count = 0;
  std::uint32_t environment_offset = 0;  // From this header's first byte.
  std::uint32_t bytes = 0;               // Header and everything after it.
  StdinMode stdin_mode = StdinMode::none;
  std::uint16_t rows = 0;  // For a pty; otherwise 0.
  std::uint16_t umask = 0;
  std::uint16_t columns = 0;
  std::int64_t timeout_ms = 0;
  std::int64_t idle_timeout_ms = 0;
  std::int64_t grace_ms = 0;
  std::uint64_t output_bytes_max = 0;
  std::uint64_t checksum = 0;  // Of the whole command, with 0 in this field.

  // Bits of the umask field.
  static constexpr std::uint16_t kKeepsEnvironment = 0x8000;
  static constexpr std::uint16_t kHasExactReader = 0x4000;
  static constexpr std::uint16_t kLocksFile = 0x2000;       // A lock file comes first.
  static constexpr std::uint16_t kLocksDirectory = 0x0800;  // Then a directory to lock.
  static constexpr std::uint16_t kHasNote = 0x1000;         // Then a note.
  // The ResourceLimits follow if there are any; the last character of `magic` is then a 2. After
  // them, each terminated by a NUL: the lock file, the directory to lock and the note if there are
  // any, cwd, the arguments, the environment.
};

// Creates `run_file`, which must not exist, with an empty journal.
Result<> write_command(const std::string& run_file, const Command& command);

// Only the header, also of a finished run. Empty: there is none, or it is unreadable.
std::optional<CommandHeader> read_header(const std::string& run_file);

// Reads a command back. If the environment was cut off, it is empty, and the checksum is not
// checked.
Result<Command> read_command(const std::string& run_file);

// Removes the values of the environment for good; the rest stays readable. A keeper does this when
// its command has finished; this function is for runs without a keeper.
Result<> forget_environment(const std::string& run_file);

// A command in the keeper's memory: pointers into one buffer.
class LoadedCommand {
 public:
  // From an open run file. False, with errno set, if it is incomplete.
  bool load(int run_file);
  // The same from a file whose environment was cut off.
  bool load_cut(int run_file);

  const CommandHeader& header() const {
    return *reinterpret_cast<const CommandHeader*>(text_.data());
  }
  const ResourceLimits& limits() const { return limits_; }
  const char* cwd() const { return cwd_; }
  const char* lock_file() const { return lock_file_; }            // Null: none.
  const char* lock_directory() const { return lock_directory_; }  // Null: none.
  const char* note() const { return note_; }                      // Null: none.
  char* const* argv() const { return pointers_.data(); }
  char* const* environment() const { return pointers_.data() + header().argument_count + 1; }
  // Cuts the environment off the file, once nobody needs it any more. Cuts off everything if the
  // file is incomplete: its environment cannot be located then.
  bool forget_environment(int run_file) const;
  bool keeps_environment() const {
    return is_whole_ && (header().umask & CommandHeader::kKeepsEnvironment) != 0;
  }
  bool has_exact_reader() const { return (header().umask & CommandHeader::kHasExactReader) != 0; }
  // The value of a variable, or null.
  const char* variable(std::string_view name) const;

 private:
  bool read(int run_file);
  bool check(size_t size);
  bool point();

  std::vector<char> text_;
  std::vector<char*> pointers_;  // argv, null, environment, null.
  const char* cwd_ = nullptr;
  const char* lock_file_ = nullptr;
  const char* lock_directory_ = nullptr;
  const char* note_ = nullptr;
  ResourceLimits limits_;
  bool is_whole_ = false;
};

}  // namespace drover::process
