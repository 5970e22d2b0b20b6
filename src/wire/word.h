// A word in JSON is text, or {"base64": "…"} for bytes that are not UTF-8. Arguments and paths may
// be any bytes; requests and answers use the same form (the shape `Word`).
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string_view>

#include "base/text.h"

namespace drover::wire {

inline boost::json::value word_of(std::string_view bytes) {
  if (is_utf8(bytes)) return boost::json::value(bytes);
  return boost::json::object{{"base64", base64(bytes)}};
}

}  // namespace drover::wire
