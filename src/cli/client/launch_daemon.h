// The way to the daemon: connecting to its socket, and bringing it up when nobody listens there.
//
// A daemon that is started here is the `droverd` beside this program. It gets a session of its
// own, nothing of our terminal, and tells over a pipe when its doors are open. If it finds
// (`daemon_running`) that another daemon holds the home, that one is waited for instead: until it
// listens (two commands came at once), or until it is gone (it was on its way out).
//
// Where the daemon is a service of systemd's (`drover service install`), systemd is asked to start
// it: one that is started beside the service would be in the service's way, and have no cgroups.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/home.h"
#include "base/result.h"

namespace drover::cli {

// `no_daemon`: nobody listens there. Anything else is a reason to look.
Result<Fd> connect_to(const std::string& socket);

// Connects; starts a daemon first if none listens. An empty `why_not` allows that, otherwise it
// says why it is forbidden and the answer is `no_daemon`. `notice` is told of what is out of order.
using Notice = std::function<void(std::string_view)>;
Result<Fd> connect_or_start(const Home& home, const std::string& why_not,
                            const Notice& notice = {});

// Where the program `name` stands: beside this one.
std::string beside(std::string_view name);

}  // namespace drover::cli
