// Runs as comma-separated values (RFC 4180): a header, then a line for each run. A column is a
// field of the record; the command is one cell, as one would type it. Text from runs
// controls no terminal and is not a formula for a spreadsheet: control characters become '?', and
// an apostrophe goes before a cell that starts like a formula. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace drover::cli {

// A cell of text.
std::string csv_cell(std::string_view text);
std::string csv_head();
std::string csv_line(const boost::json::object& run);

}  // namespace drover::cli
