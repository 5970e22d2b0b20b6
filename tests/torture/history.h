// The History is the events of all runs that ever existed, including deleted ones, by run, as a
// daemon returns them.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>
#include <vector>

#include "tests/torture/tortured_home.h"

namespace drover::tests {

struct RunHistory {
  std::string key;                // The label that its caller gave it.
  bool is_first = true;           // Otherwise it is a retry.
  std::vector<std::string> ends;  // The types of its final events.
  boost::json::object end;        // The data of the last of them.
  bool deleted = false;
  friend bool operator==(const RunHistory&, const RunHistory&) = default;
};
using History = std::map<std::string, RunHistory>;

History read_history(TorturedHome& tortured);

}  // namespace drover::tests
