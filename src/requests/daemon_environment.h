// The DaemonEnvironment is the part of the daemon's own environment that runs inherit. A daemon has
// one, and every run that gets the daemon's environment gets it from here; so a variable that is
// withheld here reaches no run. A caller that sends a variable itself still sets it.
//
// Lives on the daemon's loop.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace drover::requests {

class DaemonEnvironment {
 public:
  DaemonEnvironment() = default;
  // "NAME=value" variables; those of is_withheld (environment.h) are left out for good.
  explicit DaemonEnvironment(std::vector<std::string> environment);

  const std::vector<std::string>& variables() const { return variables_; }

  // Withholds the variables with these names from runs that are submitted from now on, and no
  // longer those of the previous call: names of secrets that the daemon itself uses.
  void withhold(const std::set<std::string>& names);

  // Empty, for a server without runs of its own.
  static const DaemonEnvironment& none();

 private:
  std::vector<std::string> all_;
  std::vector<std::string> variables_;
};

}  // namespace drover::requests
