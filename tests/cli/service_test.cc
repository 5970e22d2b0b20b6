// `drover service` with a fake systemd that records its calls, and without systemd.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/harness.h"

namespace drover::tests {
namespace {

namespace fs = std::filesystem;

void write_program(Flock& flock, const std::string& name, const std::string& script) {
  fs::create_directories(flock.file("fake"));
  const std::string path = flock.file("fake/" + name);
  ASSERT_TRUE(replace_file(
      path, "#!/bin/sh\necho " + name + " \"$@\" >> " + flock.file("asked") + "\n" + script));
  fs::permissions(path, fs::perms::owner_all);
}

std::string asked(const Flock& flock) {
  return read_file(flock.file("asked"), 100'000).value_or("");
}

struct Machine : Flock {
  Machine() {
    environment["HOME"] = file("user");
    environment["XDG_CONFIG_HOME"] = "";
    environment["PATH"] = file("fake") + ":/usr/bin:/bin";
    fs::create_directories(file("user"));
  }
  std::string unit() const { return file("user/.config/systemd/user/drover.service"); }
};

// R18: the unit is installed, started and lingers; a running daemon is stopped, its runs continue.
TEST(Service, IsInstalledAndRemoved) {
  Machine machine;
  write_program(machine, "systemctl",
                "case $2 in is-active) echo active ;; is-enabled) echo enabled ;; start) exit 1 ;; "
                "esac\n");
  write_program(machine, "loginctl", "case $1 in show-user) echo yes ;; esac\n");
  const std::string id = machine.run("sleep 1000");
  const Output out = machine.drover({"service", "install"});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_EQ(out.out, machine.unit() + "\n");
  const std::string unit = *read_file(machine.unit(), 10'000);
  EXPECT_NE(unit.find("ExecStart=\"" + std::string(DROVER_BIN) + "/droverd\""), std::string::npos);
  EXPECT_NE(unit.find("DROVER_HOME=" + machine.environment["DROVER_HOME"]), std::string::npos);
  EXPECT_NE(asked(machine).find("systemctl --user daemon-reload\n"), std::string::npos);
  EXPECT_NE(asked(machine).find("systemctl --user enable --now drover.service\n"),
            std::string::npos);
  EXPECT_NE(asked(machine).find("loginctl enable-linger\n"), std::string::npos);
  EXPECT_EQ(machine.drover({"ps", "--no-start"}).code, 7);
  EXPECT_EQ(text_of(machine.show(id), "run_id"), id);  // The next command starts another daemon.
  machine.wait_for_state(id, "running");

  const auto status = machine.json({"service", "status"});
  EXPECT_EQ(text_of(status, "kind"), "systemd");
  EXPECT_EQ(text_of(status, "active"), "active");
  EXPECT_TRUE(status.at("linger").as_bool());

  EXPECT_EQ(machine.drover({"service", "remove"}).code, 0);
  EXPECT_NE(asked(machine).find("systemctl --user disable --now drover.service\n"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(machine.unit()));
  EXPECT_EQ(machine.drover({"service", "remove"}).code, 0);
}

// R18: if the daemon is a service, a client asks systemd to start it and starts none beside it. A
// failure of systemd is reported; another home's unit is ignored.
TEST(Service, IsStartedBySystemd) {
  Machine machine;
  const std::string daemon = std::string(DROVER_BIN) + "/droverd";
  write_program(machine, "systemctl",
                "case $2 in is-failed) exit 1 ;; start|enable) AS_SERVICE=yes " + daemon +
                    " > /dev/null 2>&1 < /dev/null & ;; esac\n");
  write_program(machine, "loginctl", "");
  machine.ok({"service", "install"});
  machine.ok({"status"});
  const auto is_service = [&] {
    const auto environment =
        read_file("/proc/" + std::to_string(machine.daemon()) + "/environ", 100'000);
    return environment && environment->find("AS_SERVICE=yes") != std::string::npos;
  };
  machine.kill_daemon();
  fs::remove(machine.file("asked"));
  const Output back = machine.drover({"status"});
  EXPECT_EQ(back.code, 0) << back.err;
  EXPECT_EQ(back.err, "");
  EXPECT_NE(asked(machine).find("systemctl --user start --no-block drover.service\n"),
            std::string::npos);
  EXPECT_TRUE(is_service());

  machine.kill_daemon();
  write_program(machine, "systemctl", "echo it is masked; exit 1\n");
  const Output alone = machine.drover({"status"});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_NE(alone.err.find("it is masked"), std::string::npos) << alone.err;
  EXPECT_FALSE(is_service());

  machine.kill_daemon();
  fs::remove(machine.file("asked"));
  std::string other = *read_file(machine.unit(), 10'000);
  other.replace(other.find("DROVER_HOME="), 12, "DROVER_HOME=/elsewhere");
  ASSERT_TRUE(replace_file(machine.unit(), other));
  machine.ok({"status"});
  EXPECT_EQ(asked(machine), "");
}

// R18: while a daemon is shutting down, systemd considers it active and starts none, so the client
// asks again. It does not wait for a service that has failed.
TEST(Service, IsStartedAfterAShutdown) {
  Machine machine;
  const std::string daemon = std::string(DROVER_BIN) + "/droverd";
  write_program(machine, "systemctl", "");
  write_program(machine, "loginctl", "");
  machine.ok({"service", "install"});
  write_program(machine, "systemctl",
                "case $2 in is-failed) exit 1 ;; start) mkdir " + machine.file("first") +
                    " 2> /dev/null || " + daemon + " > /dev/null 2>&1 < /dev/null & ;; esac\n");
  const Output back = machine.drover({"status"});
  EXPECT_EQ(back.code, 0) << back.err;
  EXPECT_EQ(back.err, "");

  machine.kill_daemon();
  fs::remove(machine.file("asked"));
  write_program(machine, "systemctl", "");  // It starts and fails.
  const Output alone = machine.drover({"status"});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_NE(alone.err.find("it does not answer"), std::string::npos) << alone.err;
  EXPECT_EQ(asked(machine),
            "systemctl --user start --no-block drover.service\n"
            "systemctl --user is-failed --no-block drover.service\n");
}

// R18: an error of systemd is quoted; a user without permission to linger gets an explanation.
TEST(Service, QuotesAnErrorOfSystemd) {
  Machine machine;
  write_program(machine, "systemctl", "case $2 in enable) echo no way; exit 1 ;; esac\n");
  write_program(machine, "loginctl", "echo not you; exit 1\n");
  const Output out = machine.drover({"service", "install"});
  EXPECT_NE(out.code, 0);
  EXPECT_NE(out.err.find("no way"), std::string::npos) << out.err;
  write_program(machine, "systemctl", "");
  const Output again = machine.drover({"service", "install"});
  EXPECT_EQ(again.code, 0);
  EXPECT_NE(again.err.find("when you log out"), std::string::npos) << again.err;
}

// R18: without systemd, `service install` writes a script that starts the daemon, and says so.
TEST(Service, WritesAScriptWithoutSystemd) {
  Machine machine;
  write_program(machine, "systemctl", "exit 1\n");
  const Output out = machine.drover({"service", "install"});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_NE(out.err.find("no systemd"), std::string::npos) << out.err;
  EXPECT_NE(out.err.find("crontab"), std::string::npos) << out.err;
  const std::string script = out.out.substr(0, out.out.size() - 1);
  EXPECT_EQ(Started({script}, {{"HOME", machine.file("user")}}, "").finish().code, 0);
  EXPECT_EQ(machine.drover({"ps", "--no-start"}).code, 0);
  EXPECT_EQ(text_of(machine.json({"service", "status"}), "kind"), "script");
  EXPECT_EQ(machine.drover({"service", "remove"}).code, 0);
  EXPECT_FALSE(fs::exists(script));
}

// R18: the real systemd, if it is installed, accepts the unit.
TEST(Service, TheUnitIsValid) {
  if (!fs::exists("/usr/bin/systemd-analyze")) return;
  Machine machine;
  write_program(machine, "systemctl", "");
  write_program(machine, "loginctl", "");
  machine.ok({"service", "install"});
  const Output out =
      Started({"/usr/bin/systemd-analyze", "--user", "--man=no", "verify", machine.unit()},
              {{"HOME", machine.file("user")}, {"XDG_RUNTIME_DIR", machine.file("user")}}, "")
          .finish();
  std::string said = out.err;  // systemd before 254 warns about this unknown key.
  const size_t old = said.find("Unknown key 'DelegateSubgroup'");
  if (old != std::string::npos) said.erase(said.rfind('\n', old) + 1, said.find('\n', old) + 1);
  EXPECT_EQ(said.find("drover.service:"), std::string::npos) << out.err;
}

}  // namespace
}  // namespace drover::tests
