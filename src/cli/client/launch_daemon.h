// Connects to the daemon's socket, and starts a daemon if none listens there.
//
// The started daemon is the `droverd` beside this program. It gets a session of its own and no
// access to our terminal, and reports over a pipe when it listens. If it finds that another daemon
// has the home (`daemon_running`), we wait for that one instead: until it listens (two commands
// started one at once), or until it is gone (it was shutting down).
//
// If the daemon is a systemd service (`drover service install`), systemd is asked to start it: a
// daemon started beside the service would block the service, and have no cgroups.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/home.h"
#include "base/result.h"

namespace drover::cli {

// `no_daemon`: nobody listens there. `unsafe_home`: another user does, and gets nothing from us.
// Any other error is a problem to report.
Result<Fd> connect_to(const std::string& socket);

// Connects to the daemon that has locked the home, even if it does not listen yet: it may be
// starting, or create a socket again that was removed. Waits for it while it has the lock.
// `no_daemon`: no daemon has the home. `socket_missing`: it does not listen in time; the message
// names its pid.
Result<Fd> connect_to_holder(const Home& home);

// Connects; if no daemon listens, starts one first. If `why_not` is not empty, starting is
// forbidden for that reason, and the error is `no_daemon`. Problems on the way are passed to
// `notice`.
using Notice = std::function<void(std::string_view)>;
Result<Fd> connect_or_start(const Home& home, const std::string& why_not,
                            const Notice& notice = {});

// The path of the program `name` in the directory of this program.
std::string beside(std::string_view name);

}  // namespace drover::cli
