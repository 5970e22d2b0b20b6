// A DiagnosticReader reads a JSON object that a validation printed, and finds the diagnostics in
// it, at any depth. It sees every field as it is written, so that the second of two equal keys does
// not hide the first. Pure; the text may come in pieces of whole lines.
//
// An object blocks the pack if it says `"blocking": true` and it, or an object in it, has a
// severity or a message, even if these are not texts. A text that is JSON itself is read too.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "play/diagnostics.h"

namespace drover::play {

class DiagnosticReader {
 public:
  // `nesting`: how many texts this text stands in.
  explicit DiagnosticReader(int nesting = 0);
  ~DiagnosticReader();

  void reset();
  // Whether the text is JSON so far; if not, `problem` says why. It may be JSON with odd numbers,
  // comments or lone surrogates (play/json_repair.h), commas before a closing bracket, and bytes
  // that are not UTF-8.
  bool take(std::string_view lines);
  bool finish();
  const std::string& problem() const { return problem_; }

  // After `finish`. The first blocking diagnostic.
  std::optional<Diagnostic> blocking() const;
  // The first object with a severity or a message.
  std::optional<Diagnostic> described() const;
  // The object itself, if its severity and its message are texts.
  std::optional<Diagnostic> whole() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::string problem_;
};

}  // namespace drover::play
