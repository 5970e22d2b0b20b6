// The JSON of the inbox's entries.
#pragma once

#include <boost/json/object.hpp>

#include "inbox/entry.h"

namespace drover::api {

boost::json::object view_of(const inbox::Entry& entry);

}  // namespace drover::api
