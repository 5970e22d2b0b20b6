// Reads and writes the part of a trigger's spec that says when it fires. Pure.
//
//   {"type": "cron", "cron": "0 3 * * *", "tz": "Europe/Berlin"}
//   {"type": "every", "every": "10m"}
//   {"type": "once", "at": "2026-12-24T18:00:00Z"}
//   {"type": "webhook", "path": "deploy", "secret": "file:/home/me/deploy.secret"}
//   {"type": "event", "on": "run.failed"}
#pragma once

#include <boost/json/object.hpp>

#include "requests/fields.h"
#include "triggers/definition/spec.h"

namespace drover::triggers {

// Reports what is wrong to `fields`.
void read_source(requests::Fields& fields, WallMs anchor, Source& source);
boost::json::object fields_of(const Source& source);

}  // namespace drover::triggers
