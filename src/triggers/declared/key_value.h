// Reads the value of one key of a [[trigger]] table as the API has it: checks its form (keys.h),
// and makes the paths of a project absolute. Pure.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>

#include "triggers/declared/keys.h"
#include "triggers/declared/problem_list.h"

namespace drover::triggers {

// `root` is that of the project; empty: the file belongs to none, and paths must be absolute.
// Nothing: the value has the wrong form, which was added to `problems`.
std::optional<boost::json::value> read_key_value(const Key& key, const toml::node& node,
                                                 const std::string& root, ProblemList& problems);

// A value that is always valid for the key, to find the problems behind this one. Nothing: leave
// the key out.
std::optional<boost::json::value> valid_value(const Key& key);

}  // namespace drover::triggers
