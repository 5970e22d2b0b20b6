// Runs as comma-separated values (RFC 4180): a header, then a line for each run. A column is a
// field of the record; the command is one cell, as one would type it. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace drover::cli {

std::string csv_cell(std::string_view text);
std::string csv_head();
std::string csv_line(const boost::json::object& run);

}  // namespace drover::cli
