// A FieldPath names a value inside a JSON document by keys and array indices separated by dots:
// `payload.size`, `payload.commits.0.id`. A dot that belongs to a key is written `\.`, a backslash
// `\\`. In an array a part is an index without leading zeros, counted from 0; in an object it is a
// key, also if it consists of digits. Pure.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace drover::triggers {

class FieldPath {
 public:
  // `param` names the field of the request for the error.
  static Result<FieldPath> parse(std::string_view text, std::string_view param);

  // The named value, or null if a part of the path is missing. A JSON null is a value.
  const boost::json::value* find_in(const boost::json::value& document) const;

  const std::string& text() const { return text_; }

 private:
  std::string text_;                // As it was written.
  std::vector<std::string> parts_;  // Without escapes; never empty.
};

}  // namespace drover::triggers
