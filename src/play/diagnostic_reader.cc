#include "play/diagnostic_reader.h"

#include <boost/json/basic_parser_impl.hpp>
#include <utility>
#include <vector>

#include "base/text.h"
#include "play/blocking_text.h"
#include "play/json_repair.h"
#include "play/limits.h"

namespace drover::play {
namespace {

namespace json = boost::json;
using Code = boost::system::error_code;

constexpr int kNestingMax = 3;  // A text in a text in a text.

std::string kept(std::string_view text) {
  return bounded(text, kDiagnosticTextBytesMax);
}

json::parse_options lenient_json() {
  json::parse_options options;
  options.max_depth = kDiagnosticNestingMax;
  options.allow_trailing_commas = true;
  options.allow_invalid_utf8 = true;
  return options;
}

// An object or a list that is being read.
struct Level {
  bool is_object = false;
  std::string key = {};
  Diagnostic own = {.message = "a diagnostic without a message"};
  bool is_described = false;  // It has a severity or a message.
  bool has_severity = false;  // As texts.
  bool has_message = false;
  std::optional<Diagnostic> below = {};  // The first described object in it.
};

// The functions that the parser calls; the names and results are Boost's.
class Handler {
 public:
  static constexpr size_t max_object_size = static_cast<size_t>(-1);
  static constexpr size_t max_array_size = static_cast<size_t>(-1);
  static constexpr size_t max_key_size = static_cast<size_t>(-1);
  static constexpr size_t max_string_size = static_cast<size_t>(-1);

  explicit Handler(int nesting) : nesting_(nesting) {}

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_array_begin(Code&) { return begin(false); }
  bool on_array_end(size_t, Code&) { return end(); }
  bool on_object_begin(Code&) { return begin(true); }
  bool on_object_end(size_t, Code&) { return end(); }
  bool on_key_part(json::string_view part, size_t, Code&) { return add(part); }
  bool on_key(json::string_view rest, size_t, Code&) {
    add(rest);
    Level& top = levels_.back();
    top.key = std::exchange(text_, {});
    top.is_described = top.is_described || top.key == "severity" || top.key == "message";
    return true;
  }
  bool on_string_part(json::string_view part, size_t, Code&) { return add(part); }
  bool on_string(json::string_view rest, size_t, Code&) {
    add(rest);
    see_text(std::exchange(text_, {}));
    return true;
  }
  bool on_number_part(json::string_view, Code&) { return true; }
  bool on_int64(std::int64_t number, json::string_view, Code&) {
    if (is_field("line") && number > 0) levels_.back().own.line = number;
    return true;
  }
  bool on_uint64(std::uint64_t, json::string_view, Code&) { return true; }
  bool on_double(double, json::string_view, Code&) { return true; }
  bool on_bool(bool value, Code&) {
    if (value && is_field("blocking")) levels_.back().own.blocking = true;
    return true;
  }
  bool on_null(Code&) { return true; }
  bool on_comment_part(json::string_view, Code&) { return true; }
  bool on_comment(json::string_view, Code&) { return true; }

  std::optional<Diagnostic> blocking;
  std::optional<Diagnostic> described;
  std::optional<Diagnostic> whole;

 private:
  bool is_field(std::string_view key) const {
    return !levels_.empty() && levels_.back().is_object && levels_.back().key == key;
  }
  bool add(json::string_view part) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool begin(bool is_object) {
    levels_.push_back({.is_object = is_object});
    return true;
  }
  bool end() {
    Level done = std::move(levels_.back());
    levels_.pop_back();
    if (done.is_described) done.below = done.own;
    if (done.own.blocking && done.below && !blocking) {
      blocking = done.below;
      blocking->blocking = true;
    }
    if (levels_.empty()) {
      if (done.has_severity && done.has_message) whole = done.own;
      described = std::move(done.below);
    } else if (!levels_.back().below) {
      levels_.back().below = std::move(done.below);
    }
    return true;
  }
  void see_text(const std::string& text) {
    if (is_field("severity")) {
      levels_.back().own.severity = severity_named(text);
      levels_.back().has_severity = true;
    } else if (is_field("message")) {
      levels_.back().own.message = kept(text);
      levels_.back().has_message = true;
    } else if (is_field("file")) {
      levels_.back().own.file = kept(text);
    }
    see_json_in(text);
  }
  void see_json_in(const std::string& text) {
    const size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos || !std::string_view("{[\"").contains(text[begin])) return;
    DiagnosticReader inner(nesting_ + 1);
    if (nesting_ < kNestingMax && inner.take(text) && inner.finish()) {
      if (!blocking) blocking = inner.blocking();
      if (!levels_.empty() && !levels_.back().below) levels_.back().below = inner.described();
    } else if (!blocking && has_blocking_text(text)) {
      blocking = Diagnostic{.message = "a text that may be a diagnostic and is not valid JSON",
                            .blocking = true};
    }
  }

  const int nesting_;
  std::vector<Level> levels_;
  std::string text_;
};

}  // namespace

struct DiagnosticReader::Parser {
  explicit Parser(int nesting) : of_text(lenient_json(), nesting) {}
  json::basic_parser<Handler> of_text;
};

DiagnosticReader::DiagnosticReader(int nesting) : parser_(std::make_unique<Parser>(nesting)) {}
DiagnosticReader::~DiagnosticReader() = default;

void DiagnosticReader::reset() {
  parser_ = std::make_unique<Parser>(0);
}

bool DiagnosticReader::take(std::string_view lines) {
  const std::string text = repair_json(lines);
  Code error;
  const size_t read = parser_->of_text.write_some(true, text.data(), text.size(), error);
  if (!error && read < text.size()) error = json::error::extra_data;
  if (error) problem_ = error.message();
  return !error;
}

bool DiagnosticReader::finish() {
  Code error;
  parser_->of_text.write_some(false, nullptr, 0, error);
  if (error) problem_ = error.message();
  return !error;
}

std::optional<Diagnostic> DiagnosticReader::blocking() const {
  return parser_->of_text.handler().blocking;
}
std::optional<Diagnostic> DiagnosticReader::described() const {
  return parser_->of_text.handler().described;
}
std::optional<Diagnostic> DiagnosticReader::whole() const {
  return parser_->of_text.handler().whole;
}

}  // namespace drover::play
