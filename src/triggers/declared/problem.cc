#include "triggers/declared/problem.h"

namespace drover::triggers {

std::string Problem::text() const {
  const std::string place =
      line == 0 ? file : file + ":" + std::to_string(line) + ":" + std::to_string(column);
  return place + ": " + message;
}

boost::json::object Problem::as_json() const {
  boost::json::object out{{"file", file}};
  if (line != 0) {
    out["line"] = line;
    out["column"] = column;
  }
  out["message"] = message;
  return out;
}

}  // namespace drover::triggers
