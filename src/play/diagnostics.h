// A Diagnostic is one finding of the validation, printed as a JSON object that begins a line of its
// output: {"severity": "error", "message": "no exit", "file": "levels/3.txt", "line": 12}. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drover::play {

enum class Severity : std::uint8_t { debug, info, warning, error };
std::string_view name(Severity severity);
// By the names that linters and compilers use. An unknown one must not hide the message: `info`.
Severity severity_named(std::string_view text);

struct Diagnostic {
  Severity severity = Severity::info;
  std::string message = {};
  std::string file = {};                  // Empty: not about one file.
  std::optional<std::int64_t> line = {};  // From 1.
  bool blocking = false;                  // Blocks the pack, whatever the exit code.
  bool operator==(const Diagnostic&) const = default;
};

// For the log: `line` is one whole diagnostic, without its newline. A line longer than the limit is
// an ordinary one.
std::optional<Diagnostic> read_diagnostic(std::string_view line);

// For people: "levels/3.txt:12: no exit (blocks the pack)".
std::string as_text(const Diagnostic& diagnostic);

}  // namespace drover::play
