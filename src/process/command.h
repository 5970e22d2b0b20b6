// A Command is what a keeper is told to run: the daemon writes it into the run's file, behind the
// place of the journal; the keeper reads it with one read and no parsing to speak of.
// docs/keeper-files.md has the layout. The environment comes last, so that cutting the file short
// takes it away (R15).
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
  TerminalSize terminal = {};  // What a pty begins with.
  std::uint32_t umask = 022;
  std::int64_t timeout_ms = 0;       // 0: none.
  std::int64_t idle_timeout_ms = 0;  // 0: none.
  std::int64_t grace_ms = 0;
  std::uint64_t output_bytes_max = 0;
  bool keeps_environment = false;  // After the end: somebody else needs it, and cuts it off later.
  ResourceLimits limits = {};
};

struct CommandHeader {
  char magic[8] = {'D', 'R', 'V', 'S', 'P', 'E', 'C', '1'};
  std::uint32_t argument_count = 0;
  std::uint32_t environment_count = 0;
  std::uint32_t environment_offset = 0;  // From this header's first byte.
  std::uint32_t bytes = 0;               // Of header and all that follows.
  StdinMode stdin_mode = StdinMode::none;
  std::uint16_t rows = 0;  // Of a pty; else 0.
  std::uint16_t umask = 0;
  std::uint16_t columns = 0;
  std::int64_t timeout_ms = 0;
  std::int64_t idle_timeout_ms = 0;
  std::int64_t grace_ms = 0;
  std::uint64_t output_bytes_max = 0;
  std::uint64_t checksum = 0;  // Of all this, with 0 in its own place.

  static constexpr std::uint16_t kKeepsEnvironment = 0x8000;  // A bit of the umask's place.
  // Then, only if there are any, the ResourceLimits: the last character of `magic` is then a 2.
  // Then, each ended by a NUL: cwd, the arguments, the environment.
};

// Creates `run_file`, which must not exist, with an empty journal.
Result<> write_command(const std::string& run_file, const Command& command);

// Its header alone, also of a run that has ended. Empty: there is none, or none that can be read.
std::optional<CommandHeader> read_header(const std::string& run_file);

// Reads a command back. If its environment was cut off, it has none; the rest is then only as good
// as the file.
Result<Command> read_command(const std::string& run_file);

// Takes the environment's values away for good; the rest stays for the curious. A keeper does it
// when its command has ended; this is for runs that no keeper saw to their end.
Result<> forget_environment(const std::string& run_file);

// A command as the keeper holds it: pointers into one buffer.
class LoadedCommand {
 public:
  // From an open run file. False, with errno set, if it is not whole.
  bool load(int run_file);
  // The same from one whose environment was cut off.
  bool load_cut(int run_file);

  const CommandHeader& header() const {
    return *reinterpret_cast<const CommandHeader*>(text_.data());
  }
  const ResourceLimits& limits() const { return limits_; }
  const char* cwd() const { return cwd_; }
  char* const* argv() const { return pointers_.data(); }
  char* const* environment() const { return pointers_.data() + header().argument_count + 1; }
  // Cuts the environment off the file, once nobody needs it any more. Of a file that is not whole
  // nothing is left: nobody can tell where its environment is.
  bool forget_environment(int run_file) const;
  bool keeps_environment() const {
    return is_whole_ && (header().umask & CommandHeader::kKeepsEnvironment) != 0;
  }
  // The value of a variable, or null.
  const char* variable(std::string_view name) const;

 private:
  bool read(int run_file);
  bool check(size_t size);
  bool point();

  std::vector<char> text_;
  std::vector<char*> pointers_;  // argv, null, environment, null.
  const char* cwd_ = nullptr;
  ResourceLimits limits_;
  bool is_whole_ = false;
};

}  // namespace drover::process
