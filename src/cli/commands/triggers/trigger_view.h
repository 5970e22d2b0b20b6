// Formats triggers and their ledger for people. Pure.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "cli/terminal/screen.h"

namespace drover::cli {

// The command as one would type it, or the script.
std::string command_of_trigger(const boost::json::object& trigger);

// When it fires: "0 3 * * * (Europe/Berlin)", "once at 2026-12-24 18:00:00".
std::string when_of(const boost::json::object& trigger);

// "; the value is 2000", of an entry that a filter skipped; otherwise empty.
std::string say_value(const boost::json::object& entry);

// Whether a type of source is a schedule.
bool is_timed(std::string_view type);

// The local time of a due time; it says so if the schedule of the trigger may mean another zone.
std::string say_due(const boost::json::object& trigger, WallMs due);

std::string trigger_page(const Screen& screen, const boost::json::object& trigger, WallMs now);
// A problem of a file that declares triggers: "/x/a.toml:3:8: unknown key corn".
std::string problem_text(const boost::json::object& problem);
// The tables of `trigger ls` and `trigger history`.
std::string triggers_table(const boost::json::array& triggers, const Screen& screen, WallMs now);
std::string ledger_table(const boost::json::array& entries, const Screen& screen);

}  // namespace drover::cli
