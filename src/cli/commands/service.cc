// drover service: installs the daemon as a user service, so that it starts with the machine.
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "cli/client/launch_daemon.h"
#include "cli/commands/commands.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/program.h"
#include "cli/service/service_unit.h"
#include "cli/views/table.h"

namespace drover::cli {
namespace {

using boost::json::object;

// Whether a systemd user manager answers; systemctl may exist without one.
bool has_systemd() {
  return systemctl({"show-environment"}).ok();
}

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

Result<> write_file(const std::string& path, const std::string& text, mode_t mode) {
  if (auto ok = make_private_directory(path.substr(0, path.rfind('/'))); !ok) return ok;
  if (auto ok = replace_file(path, text); !ok) return ok;
  if (::chmod(path.c_str(), mode) != 0) return fail_errno("cannot change " + path, errno);
  return {};
}

std::unexpected<Error> systemd_failed(const std::string& what, const ProgramEnd& end) {
  return fail(ErrorCode::unavailable, "systemd_failed",
              "systemctl cannot " + what + ": " + clean(end.output) +
                  "; `journalctl --user -u drover` may say more");
}

// Stops the daemon. Its runs continue, and the service's daemon adopts them.
Result<> stop_daemon(Context& context) {
  if (!connect_to(context.home.socket())) return {};
  return kStop.run(context, {})
             ? Result<>{}
             : fail(ErrorCode::unavailable, "still_running", "cannot stop the running daemon");
}

Result<int> install_script(Context& context) {
  const std::string path = script_path(context.home);
  const std::string text = script_text(beside("drover"), home_variables());
  if (auto ok = write_file(path, text, 0700); !ok) return std::unexpected(ok.error());
  context.screen.notice(
      "this user has no systemd, so nothing starts the daemon with the machine.\n"
      "The script " +
      path + " starts it. To have cron call the script at boot:\n  " + crontab_command(path));
  if (auto ok = context.screen.print(path + "\n"); !ok) return std::unexpected(ok.error());
  return 0;
}

Result<int> install(Context& context, const Arguments&) {
  if (!has_systemd()) return install_script(context);
  const Result<std::string> path = unit_path();
  if (!path) return std::unexpected(path.error());
  const std::string text = unit_text(beside("droverd"), home_variables());
  if (auto ok = write_file(*path, text, 0644); !ok) return std::unexpected(ok.error());
  if (auto done = systemctl({"daemon-reload"}); !done.ok()) {
    return systemd_failed("read the unit", done);
  }
  if (auto ok = stop_daemon(context); !ok) return std::unexpected(ok.error());
  if (auto done = systemctl({"enable", "--now", std::string(kUnitName)}); !done.ok()) {
    return systemd_failed("start the service", done);
  }
  // Without lingering, the user's services stop with the last session, and so would the daemon.
  if (auto linger = run_program({"loginctl", "enable-linger"}); !linger.ok()) {
    context.screen.notice("the service stops when you log out: lingering could not be enabled (" +
                          clean(linger.output) +
                          "); `sudo loginctl enable-linger $USER` enables it");
  }
  if (auto ok = context.screen.print(*path + "\n"); !ok) return std::unexpected(ok.error());
  return 0;
}

Result<int> remove(Context& context, const Arguments&) {
  bool any = false;
  const Result<std::string> path = unit_path();
  if (path && exists(*path)) {
    any = true;
    if (auto done = systemctl({"disable", "--now", std::string(kUnitName)}); !done.ok()) {
      context.screen.notice("systemctl cannot stop the service: " + clean(done.output));
    }
    if (::unlink(path->c_str()) != 0) return fail_errno("cannot remove " + *path, errno);
    (void)systemctl({"daemon-reload"});
    context.screen.notice(
        "removed the service; runs keep running, and the next command starts a daemon. Lingering "
        "stays as it is: other services may need it");
  }
  if (const std::string script = script_path(context.home); exists(script)) {
    any = true;
    if (::unlink(script.c_str()) != 0) return fail_errno("cannot remove " + script, errno);
    context.screen.notice("removed " + script + "; remove it from your crontab, too");
  }
  if (!any) context.screen.notice("no service is installed");
  return 0;
}

Result<int> status(Context& context, const Arguments&) {
  const Result<std::string> path = unit_path();
  const bool systemd = has_systemd();
  const bool unit = path && exists(*path);
  const bool script = exists(script_path(context.home));
  const std::string state = unit ? systemctl({"is-active", std::string(kUnitName)}).output : "";
  const std::string enabled = unit ? systemctl({"is-enabled", std::string(kUnitName)}).output : "";
  const ProgramEnd linger = run_program({"loginctl", "show-user", "--property=Linger", "--value"});
  const bool answers = connect_to(context.home.socket()).has_value();
  if (context.json) {
    object out{{"systemd", systemd}, {"kind", unit ? "systemd" : script ? "script" : "none"},
               {"path", nullptr},    {"active", nullptr},
               {"enabled", nullptr}, {"linger", linger.ok() && linger.output == "yes"},
               {"daemon", answers}};
    if (unit) out["path"] = *path;
    if (!unit && script) out["path"] = script_path(context.home);
    if (unit) out["active"] = state;
    if (unit) out["enabled"] = enabled;
    (void)context.screen.print(json_text(out) + "\n");
    return 0;
  }
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text +=
        context.screen.paint(Color::dim, std::string(name) + std::string(10 - name.size(), ' '));
    text += clean(value) + "\n";
  };
  line("service", unit     ? "systemd, " + *path
                  : script ? "a script, " + script_path(context.home)
                           : "not installed; `drover service install` installs it");
  if (unit) line("state", state + ", " + enabled);
  if (unit)
    line("linger",
         linger.ok() && linger.output == "yes" ? "yes" : "no: the service stops when you log out");
  if (!systemd) line("systemd", "none for this user");
  line("daemon", answers ? "running" : "not running");
  (void)context.screen.print(text);
  return 0;
}

}  // namespace

const Command kServiceInstall{
    .name = "service install",
    .words = {},
    .group = Group::daemon,
    .summary = "Start the daemon with the machine",
    .help =
        "Install the daemon as a systemd user service, so that it starts with the machine.\n\n"
        "Without systemd, Drover writes a start script and prints how to call it when the "
        "machine starts.",
    .noun_summary = "Manage the daemon's service",
    .examples = {{{"drover service install", "Install and start the service."},
                  {"drover service install && drover doctor",
                   "Install the service and check the installation."}}},
    .options = {},
    .daemon = Daemon::never_start,
    .run = install,
};

const Command kServiceRemove{
    .name = "service remove",
    .words = {},
    .group = Group::daemon,
    .summary = "Remove the service",
    .help =
        "Remove the service.\n\n"
        "Active runs keep running.",
    .examples = {{{"drover service remove", "Remove the service."},
                  {"drover service remove && drover stop",
                   "Remove the service and stop the daemon."}}},
    .options = {},
    .daemon = Daemon::never_start,
    .run = remove,
};

const Command kServiceStatus{
    .name = "service status",
    .words = {},
    .group = Group::daemon,
    .summary = "Show whether the service is installed",
    .help = "Show whether the service is installed and whether it is running.",
    .examples = {{{"drover service status", "Show the state of the service."},
                  {"drover service status --json", "Print the state of the service as JSON."}}},
    .options = {},
    .daemon = Daemon::never_start,
    .run = status,
};

}  // namespace drover::cli
