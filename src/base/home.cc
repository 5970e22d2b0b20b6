#include "base/home.h"

#include <cstdlib>

#include "base/fd.h"
#include "base/home_of.h"
#include "base/ownership.h"

namespace drover {

Result<Home> Home::from_environment() {
  return home_of([](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  });
}

Result<Home> home_of(const ReadVariable& variable) {
  if (const std::string own = variable("DROVER_HOME"); !own.empty()) {
    if (own.front() != '/') {
      return fail_invalid("DROVER_HOME", "DROVER_HOME must be an absolute path, not " + own);
    }
    return Home{own + "/config", own + "/state", own + "/run"};
  }
  const std::string user = variable("HOME");
  const auto under = [&](const char* name, const char* otherwise) {
    const std::string xdg = variable(name);
    return (xdg.empty() || xdg.front() != '/' ? user + otherwise : xdg) + "/drover";
  };
  if (user.empty() || user.front() != '/') {
    return fail_invalid("HOME", "neither DROVER_HOME nor HOME names a directory; set DROVER_HOME");
  }
  Home home{under("XDG_CONFIG_HOME", "/.config"), under("XDG_STATE_HOME", "/.local/state"), ""};
  const std::string runtime = variable("XDG_RUNTIME_DIR");
  home.runtime =
      runtime.empty() || runtime.front() != '/' ? home.state + "/run" : runtime + "/drover";
  return home;
}

Result<> Home::create() const {
  for (const std::string& directory : {config, state, runtime, runs(), trash(), controls()}) {
    // First the way: nothing is created where somebody else chooses what it becomes.
    if (auto safe = check_way(directory); !safe) return safe;
    if (auto made = make_private_directory(directory); !made) return made;
    if (auto own = check_own_directory(directory); !own) return own;
  }
  for (const std::string& file : {lock(), database(), database() + "-wal", database() + "-shm",
                                  generation(), owner_token(), log()}) {
    if (auto own = check_own_file(file); !own) return own;
  }
  return {};
}

}  // namespace drover
