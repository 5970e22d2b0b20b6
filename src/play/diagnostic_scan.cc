#include "play/diagnostic_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "play/blocking_text.h"
#include "play/limits.h"

namespace drover::play {
namespace {

// Longer than blocking text, which may be cut where a long line is checked.
constexpr size_t kBlockingTextMax = 64;

// A byte order mark of UTF-8 or UTF-16, or what surrounds the elements of a list.
bool may_precede(char c) {
  constexpr std::string_view kPadding = " \t\r\n[],\xef\xbb\xbf\xfe\xff";
  return kPadding.contains(c);
}

}  // namespace

std::optional<BlockingFinding> DiagnosticScan::take(std::string_view bytes) {
  read(plain_.take(bytes));
  return std::exchange(found_, std::nullopt);
}

std::optional<BlockingFinding> DiagnosticScan::end() {
  read(plain_.rest());
  while (mode_ == Mode::object && !found_) {
    if (!parse()) {
      reject();
      continue;
    }
    // The missing part of an object that has begun a key may be anything.
    if (text_.contains('"')) cannot_read("begins a JSON object, and the output ends inside it");
    break;
  }
  if (mode_ == Mode::other) check_line();
  return std::exchange(found_, std::nullopt);
}

void DiagnosticScan::read(std::string_view plain) {
  for (const char c : plain) {
    if (found_) return;
    one(c);
    if (c == '\n') ++line_;
  }
}

void DiagnosticScan::one(char c) {
  switch (mode_) {
    case Mode::line_start:
      if (may_precede(c)) return;
      text_.clear();
      begun_ = line_;
      if (c == '{') return begin_object();
      mode_ = Mode::other;
      return add_to_line(c);
    case Mode::object:
      return add_to_object(c);
    case Mode::other:
      return add_to_line(c);
  }
}

void DiagnosticScan::begin_object() {
  mode_ = Mode::object;
  reader_.reset();
  place_ = {};
  parsed_ = 0;
  depth_ = parsed_depth_ = 0;
  add_to_object('{');
}

void DiagnosticScan::add_to_object(char c) {
  // JSON allows neither in a text; a carriage return may end a line or stand in a message.
  text_ += c == '\r' || c == '\t' ? ' ' : c;
  place_.step(c);
  if (c == '\n') {
    // Parse every line, so that an ordinary line with a brace does not swallow the next ones.
    if (!parse()) reject();
    return;
  }
  if (text_.size() > kDiagnosticBytesMax) {
    return cannot_read(
        fmt::format("begins a JSON object of more than {} bytes", kDiagnosticBytesMax));
  }
  if (!place_.is_value()) return;
  if (c == '{') ++depth_;
  if (c == '}' && --depth_ == 0) finish_object();
}

void DiagnosticScan::finish_object() {
  if (!parse()) return reject();
  if (!reader_.finish()) return reject();
  if (auto blocking = reader_.blocking()) {
    found_ = BlockingFinding{.diagnostic = std::move(blocking), .why = {}};
  }
  mode_ = Mode::line_start;
}

bool DiagnosticScan::parse() {
  if (!reader_.take(std::string_view(text_).substr(parsed_))) return false;
  parsed_ = text_.size();
  parsed_depth_ = depth_;
  return true;
}

// The object is not JSON. Its last line may begin another one.
void DiagnosticScan::reject() {
  const std::string last = text_.substr(parsed_);
  const auto begin = std::ranges::find_if_not(last, may_precede);
  const bool begins_another = parsed_ > 0 && begin != last.end() && *begin == '{';
  const auto judged = std::string_view(text_).substr(0, begins_another ? parsed_ : text_.size());
  if (looks_like_diagnostic(judged)) {
    return cannot_read("looks like a diagnostic and is not valid JSON (" + reader_.problem() + ")");
  }
  if (parsed_ == 0) {  // It has one line, which is an ordinary one.
    mode_ = Mode::other;
    if (text_.ends_with('\n')) check_line();
    loose_ = std::max(loose_, depth_);
    return;
  }
  loose_ = std::max(loose_, parsed_depth_);
  mode_ = Mode::line_start;
  for (const char c : last) {
    if (!found_) one(c);
  }
}

void DiagnosticScan::add_to_line(char c) {
  if (c == '\n' || c == '\r') return check_line();
  text_ += c;
  if (text_.size() <= kDiagnosticBytesMax) return;
  check_line();
  mode_ = Mode::other;
  text_.erase(0, text_.size() - kBlockingTextMax);
}

void DiagnosticScan::check_line() {
  mode_ = Mode::line_start;
  if (looks_like_diagnostic(text_) || (loose_ > 0 && has_bare_blocking_text(text_))) {
    return cannot_read(
        "looks like a diagnostic, but is not a JSON object at the beginning of a line");
  }
  if (loose_ == 0) return;
  const size_t end = text_.find_last_not_of(" \r\n");
  if (text_.starts_with('}')) --loose_;
  if (loose_ > 0 && end != std::string::npos && text_[end] == '{') ++loose_;
}

void DiagnosticScan::cannot_read(std::string_view why) {
  found_ = BlockingFinding{.diagnostic = {}, .why = fmt::format("line {} {}", begun_, why)};
}

}  // namespace drover::play
