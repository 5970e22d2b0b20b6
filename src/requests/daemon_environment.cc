#include "requests/daemon_environment.h"

#include "requests/environment.h"

namespace drover::requests {

DaemonEnvironment::DaemonEnvironment(std::vector<std::string> environment)
    : all_(inheritable(std::move(environment))), variables_(all_) {}

void DaemonEnvironment::withhold(const std::set<std::string>& names) {
  variables_ = all_;
  std::erase_if(variables_, [&](const std::string& variable) {
    return names.contains(variable.substr(0, variable.find('=')));
  });
}

const DaemonEnvironment& DaemonEnvironment::none() {
  static const DaemonEnvironment kNone;
  return kNone;
}

}  // namespace drover::requests
