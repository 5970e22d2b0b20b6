// Finds the source of a declared trigger: which of the keys cron, every, at, files, webhook, feed,
// page and on the table has, and whether its other keys fit this one. Pure.
#pragma once

#include <boost/json/object.hpp>

#include "triggers/declared/declaration.h"
#include "triggers/declared/problem_list.h"

namespace drover::triggers {

// `source` has the values of the table's keys, and gets its type. False: the table does not say
// when the trigger fires, or says two things; that was added to `problems`, and `source` is any
// valid one, so that the other keys can be checked.
bool choose_source(const DeclaringFile& file, const toml::table& table, boost::json::object& source,
                   ProblemList& problems);

}  // namespace drover::triggers
