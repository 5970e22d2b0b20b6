#include "play/diagnostics.h"

#include <algorithm>
#include <array>
#include <utility>

#include "play/diagnostic_reader.h"
#include "play/escape_filter.h"
#include "play/limits.h"

namespace drover::play {
namespace {

// The names that linters and compilers use.
constexpr auto kWords = std::to_array<std::pair<std::string_view, Severity>>({
    {"trace", Severity::debug},
    {"debug", Severity::debug},
    {"hint", Severity::info},
    {"note", Severity::info},
    {"info", Severity::info},
    {"warn", Severity::warning},
    {"warning", Severity::warning},
    {"error", Severity::error},
    {"critical", Severity::error},
    {"fatal", Severity::error},
});

// A byte order mark, blanks.
std::string_view without_padding(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r\n\xef\xbb\xbf\xfe\xff");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

}  // namespace

Severity severity_named(std::string_view text) {
  const auto is = [&](std::string_view word) {
    return std::ranges::equal(text, word, [](char a, char b) {
      return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
    });
  };
  for (const auto& [word, severity] : kWords) {
    if (is(word)) return severity;
  }
  return Severity::info;
}

std::string_view name(Severity severity) {
  constexpr std::array<std::string_view, 4> kNames{"debug", "info", "warning", "error"};
  return kNames[static_cast<size_t>(severity)];
}

std::optional<Diagnostic> read_diagnostic(std::string_view line) {
  if (line.size() > kDiagnosticLineBytesMax) return std::nullopt;
  EscapeFilter plain;
  std::string text = plain.take(line);
  text += plain.rest();
  std::ranges::replace(text, '\r', ' ');
  const std::string_view object_text = without_padding(text);
  if (!object_text.starts_with('{')) return std::nullopt;
  DiagnosticReader reader;
  return reader.take(object_text) && reader.finish() ? reader.whole() : std::nullopt;
}

std::string as_text(const Diagnostic& diagnostic) {
  std::string out = diagnostic.file;
  if (diagnostic.line) out += (out.empty() ? "line " : ":") + std::to_string(*diagnostic.line);
  if (!out.empty()) out += ": ";
  out += diagnostic.message;
  if (diagnostic.blocking) out += " (blocks the pack)";
  return out;
}

}  // namespace drover::play
