// Turns a value of TOML into JSON. Pure.
#pragma once

#include <toml++/toml.h>

#include <boost/json/value.hpp>
#include <optional>

namespace drover::triggers {

// Nothing: it is, or contains, a date or a time, or tables nested more than `depth_max` deep.
std::optional<boost::json::value> json_of(const toml::node& node, size_t depth_max);

// "2026-12-24T18:00:00Z", if the node is a time with an offset.
std::optional<std::string> time_text(const toml::node& node);

}  // namespace drover::triggers
