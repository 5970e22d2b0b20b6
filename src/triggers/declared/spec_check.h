// Finds all problems of a declared trigger with the reader of the API, which reports one at a time:
// each value that it refuses is replaced by a valid one, and it reads the fields again. Pure.
#pragma once

#include <boost/json/object.hpp>

#include "triggers/declared/problem_list.h"

namespace drover::triggers {

// Completes `fields` as `fields_of` returns them, or adds to `problems` what is wrong. Without
// `is_source_known`, the source is only assumed: problems of it are not reported.
void check_spec(boost::json::object& fields, const toml::table& table, bool is_source_known,
                ProblemList& problems);

}  // namespace drover::triggers
