// The limits and the usage of a run, in words.
#pragma once

#include <boost/json/object.hpp>
#include <string>

namespace drover::cli {

// "memory 512M (cgroup) · cpus 1.5 (not enforced here)". Empty: no limits.
std::string say_limits(const boost::json::object& run);
// The limits that cannot be enforced on this machine: "--cpus, --pids". Empty: none.
std::string say_unenforced(const boost::json::object& run);
// "cpu 1.2s (user 1.0s, system 0.2s) · memory 12 MB · disk read 4.1 kB, written 0 B". Empty:
// unknown.
std::string say_usage(const boost::json::object& run);

}  // namespace drover::cli
