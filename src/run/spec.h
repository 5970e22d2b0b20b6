// A Spec is a request for a run: a command and how to run it. It is only checked to be well formed
// here (H6); whether it can run is found out when it is launched.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/journal.h"
#include "base/limits.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "run/kind.h"
#include "run/retry.h"

namespace drover::run {

enum class Stdin : std::uint8_t { none, pipe, pty };
enum class OnRestart : std::uint8_t { requeue, fail };

struct Spec {
  std::vector<std::string> argv;
  std::string shell;  // Set instead of argv: run by /bin/sh -c.
  std::string cwd;
  std::map<std::string, std::string> env;  // Values go to the run's file and nowhere else (R15).
  std::string kind{kCommand};
  std::string scope = "default";
  std::string name;
  std::string lane = "default";
  std::map<std::string, std::string> labels;
  std::string parent_run_id;
  std::string trace_id;              // The trace it belongs to; empty: one of its own.
  std::int64_t timeout_ms = 0;       // 0: none.
  std::int64_t idle_timeout_ms = 0;  // 0: none.
  std::int64_t grace_ms = limits::kGraceMs;
  Stdin stdin_mode = Stdin::none;
  TerminalSize terminal{.rows = limits::kTerminalRows, .columns = limits::kTerminalColumns};
  bool exact_output = false;  // A client passes on every byte (process/command.h).
  std::string exact_reader;   // The token that may be this client without `cancel`; not recorded.
  OnRestart on_restart = OnRestart::requeue;
  int priority = 0;
  std::vector<RunId> after;      // Start once these have completed.
  std::vector<RunId> after_any;  // Start once these have finished.
  Retry retry;
  ResourceLimits limits;
  // Locked while the command runs (process/command.h), so that other daemons see it; not recorded.
  std::string lock_file;
  std::string lock_directory;
  std::string phase;  // Of a composite: the text that its first change receives.
  std::string key;    // Idempotency key of the caller; empty: none.

  // The argv to exec: as given, or the shell with the script.
  std::vector<std::string> command() const;
};

// The first mistake in it; the error names the field.
Result<> validate(const Spec& spec);

// Checks a terminal's size that a client sent.
Result<TerminalSize> terminal_size(std::int64_t rows, std::int64_t columns);
Result<> validate_scope(std::string_view scope);
Result<> validate_lane(std::string_view lane);
Result<> validate_priority(std::int64_t priority);
Result<> validate_limits(const ResourceLimits& limits);
bool is_variable_name(std::string_view name);

}  // namespace drover::run
