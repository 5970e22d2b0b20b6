// A Diagnostic is something that the validation found, told on a line of its output as a JSON
// object: {"severity": "error", "message": "no exit", "file": "levels/3.txt", "line": 12}. Every
// other line is an ordinary one: a program that prints something odd is not punished for it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drover::play {

enum class Severity : std::uint8_t { debug, info, warning, error };
std::string_view name(Severity severity);

struct Diagnostic {
  Severity severity = Severity::info;
  std::string message;
  std::string file;                  // Empty: of none in particular.
  std::optional<std::int64_t> line;  // From 1.
  bool blocking = false;             // Whatever the exit code: this is not packed.
  bool operator==(const Diagnostic&) const = default;
};

// `line` without its newline; one that is longer than the limit is an ordinary one.
std::optional<Diagnostic> read_diagnostic(std::string_view line);

// As a person reads it: "levels/3.txt:12: no exit (blocks the pack)".
std::string as_text(const Diagnostic& diagnostic);

}  // namespace drover::play
