// Applies an edit to the fields of a trigger: those that are given replace the old ones, and the
// others stay. This holds inside `run`, `run.limits`, `run.retry` and `source`, too; a source of
// another type replaces the whole source. A field that is null returns to its default. Pure.
#pragma once

#include <boost/json/object.hpp>

namespace drover::triggers {

// `fields` are those of the trigger, as fields_of returns them.
boost::json::object edited_fields(boost::json::object fields, const boost::json::object& given);

}  // namespace drover::triggers
