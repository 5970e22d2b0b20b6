// History is what a daemon tells of all runs there ever were, also of those that were deleted:
// their events, by run.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>
#include <vector>

#include "tests/torture/trial.h"

namespace drover::tests {

struct Life {
  std::string key;                // The label its asker gave it.
  bool is_first = true;           // Or another attempt at what was asked for.
  std::vector<std::string> ends;  // The types of its terminal events.
  boost::json::object end;        // What the last of them says.
  bool deleted = false;
  friend bool operator==(const Life&, const Life&) = default;
};
using History = std::map<std::string, Life>;

History read_history(Trial& trial);

}  // namespace drover::tests
