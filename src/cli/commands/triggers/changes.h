// Names the parts of a trigger that an edit changed, for people. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <string>

namespace drover::cli {

// "cron, directory"; empty: nothing that the two show is different. The values of variables are not
// shown.
std::string say_changes(const boost::json::object& before, const boost::json::object& after);

}  // namespace drover::cli
