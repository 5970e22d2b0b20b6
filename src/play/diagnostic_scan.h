// A DiagnosticScan reads one stream of a validation's output and finds what blocks the pack (P1): a
// blocking diagnostic, or text that may be one and cannot be read. Pure.
//
// A diagnostic is a JSON object that begins a line, after blanks, brackets, commas, a byte order
// mark and escape sequences; it may span lines. All other text is ordinary output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "play/diagnostic_reader.h"
#include "play/escape_filter.h"
#include "play/json_repair.h"

namespace drover::play {

struct BlockingFinding {
  std::optional<Diagnostic> diagnostic;  // Empty: the text cannot be read.
  std::string why;                       // Why it cannot be read: "line 3 …".
};

class DiagnosticScan {
 public:
  // Returns the first finding. Do not call it again after that.
  std::optional<BlockingFinding> take(std::string_view bytes);
  // Call it when no more output will come.
  std::optional<BlockingFinding> end();

 private:
  enum class Mode : std::uint8_t { line_start, object, other };

  void read(std::string_view plain);
  void one(char c);
  void begin_object();
  void add_to_object(char c);
  void finish_object();
  // Parses the object's text so far; false: it is not JSON.
  bool parse();
  void reject();
  void add_to_line(char c);
  void check_line();
  void cannot_read(std::string_view why);

  EscapeFilter plain_;
  DiagnosticReader reader_;
  JsonPlace place_;
  Mode mode_ = Mode::line_start;
  std::string text_;   // The unfinished object, or the current line if it begins none.
  size_t parsed_ = 0;  // How many bytes of the object were parsed: all but its current line.
  size_t depth_ = 0;
  size_t parsed_depth_ = 0;  // At `parsed_`.
  // The depth of an object in another notation, such as JavaScript's, that is not closed yet: a
  // line in it may say `blocking: true`.
  size_t loose_ = 0;
  size_t line_ = 1;   // The current line's number.
  size_t begun_ = 1;  // The number of the line in which `text_` begins.
  std::optional<BlockingFinding> found_;
};

}  // namespace drover::play
