// Fixed records of runs, some of them nasty: long names, wide and invisible characters, control
// characters, unknown values.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string_view>

namespace drover::cli::golden {

boost::json::object object(std::string_view json);
boost::json::array array(std::string_view json);

boost::json::array few_runs();    // Ordinary runs.
boost::json::array busy_runs();   // Runs that report their progress.
boost::json::array nasty_runs();  // One of each kind.
boost::json::object nasty_run();  // With every field set.

}  // namespace drover::cli::golden
