// What a run that is under way is doing, or what it is stuck at, as evidence for `why`. Null:
// nobody has looked.
#pragma once

#include <boost/json/value.hpp>

#include "api/backing.h"
#include "run/record.h"

namespace drover::api {

inline boost::json::value diagnose(const Backing&, const run::Record&) {
  return nullptr;
}

}  // namespace drover::api
