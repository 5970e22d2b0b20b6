#include "play/diagnostics.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "base/limits.h"
#include "base/text.h"

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

// An unknown severity must not hide the message.
Severity severity_of(std::string_view text) {
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

const boost::json::string* text_in(const boost::json::object& object, std::string_view key) {
  const boost::json::value* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_string();
}

std::string kept(const boost::json::string& text) {
  return bounded(std::string_view(text), limits::kDiagnosticTextBytesMax);
}

}  // namespace

std::string_view name(Severity severity) {
  constexpr std::array<std::string_view, 4> kNames{"debug", "info", "warning", "error"};
  return kNames[static_cast<size_t>(severity)];
}

std::optional<Diagnostic> read_diagnostic(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r\n";
  if (line.size() > limits::kDiagnosticLineBytesMax) return std::nullopt;
  const size_t begin = line.find_first_not_of(kBlank);
  if (begin == std::string_view::npos || line[begin] != '{') return std::nullopt;
  boost::system::error_code error;
  const boost::json::value whole = boost::json::parse(line, error);
  if (error || !whole.is_object()) return std::nullopt;
  const boost::json::object& object = whole.get_object();
  const boost::json::string* severity = text_in(object, "severity");
  const boost::json::string* message = text_in(object, "message");
  if (severity == nullptr || message == nullptr) return std::nullopt;
  Diagnostic out{.severity = severity_of(std::string_view(*severity)),
                 .message = kept(*message),
                 .file = "",
                 .line = {},
                 .blocking = false};
  if (const auto* file = text_in(object, "file")) out.file = kept(*file);
  if (const auto* number = object.if_contains("line"); number != nullptr && number->is_int64()) {
    if (number->get_int64() > 0) out.line = number->get_int64();
  }
  const boost::json::value* blocking = object.if_contains("blocking");
  out.blocking = blocking != nullptr && blocking->is_bool() && blocking->get_bool();
  return out;
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
