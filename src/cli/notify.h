// Notifies the user that a run has finished: on the desktop if there is one, otherwise through the
// terminal (the bell, and OSC 9, which many terminals show). It never fails and never takes long: a
// notification must not delay the command.
#pragma once

#include <boost/json/object.hpp>
#include <string>

namespace drover::cli {

void notify(const std::string& title, const std::string& text);
// Reports that a run has finished. `run` is its record or the data of its final event.
void notify_end(const boost::json::object& run, const std::string& what);

}  // namespace drover::cli
