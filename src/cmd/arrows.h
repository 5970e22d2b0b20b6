// Arrows are the includes between the directories of src/, checked against src/ORDER: which
// directory may use which, which words must not appear in the core, and which text may appear in a
// few files alone. It reads sources as text, and does not understand them.
//
// An include that breaks the order is a complaint, unless src/ORDER.debt lists it. The debt may
// only get shorter: a line of it that no longer applies is a complaint too.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace drover::arrows {

struct Order {
  std::map<std::string, int, std::less<>> height;  // Higher may use lower.
  std::map<std::string, std::set<std::string>, std::less<>> only;
  std::map<std::string, std::set<std::string>, std::less<>> forbidden_words;  // By directory.
  std::set<std::string, std::less<>> allowed_in;  // Files that may contain every one of them.
  // By text: the files and directories that may contain it. Tests and comments do not count.
  std::map<std::string, std::set<std::string>> only_in;
};
// Parses src/ORDER. The `invalid` error names the line.
Result<Order> parse_order(std::string_view text);

// The contents of one file: `uses` are directories, `says` are words in lower case, `contains` are
// texts of only-in rules.
struct Source {
  std::string path;  // Below src/: "run/life.h".
  std::set<std::string> uses;
  std::set<std::string> says;
  std::set<std::string> contains;

  std::string_view directory() const;
  bool is_test() const;
};
// Gathers the words and texts that `order` has rules for, and no others.
Source read_source(std::string path, std::string_view text, const Order& order);

// One line each, such as "run/fact.h includes store". `debt` is the text of src/ORDER.debt.
std::vector<std::string> complaints(const Order& order, const std::vector<Source>& sources,
                                    std::string_view debt);

// Reads every source below `directory`.
Result<std::vector<Source>> read_sources(const std::string& directory, const Order& order);

}  // namespace drover::arrows
