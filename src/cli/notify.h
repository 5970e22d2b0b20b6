// A notice to whoever has gone on to something else: on the desktop where there is one, otherwise
// from the terminal (its bell, and OSC 9, which many terminals show). It never fails and never
// takes long: what it tells of is more important than the telling.
#pragma once

#include <boost/json/object.hpp>
#include <string>

namespace drover::cli {

void notify(const std::string& title, const std::string& text);
// That a run has ended; `run` is a record or the data of a terminal event.
void notify_end(const boost::json::object& run, const std::string& what);

}  // namespace drover::cli
