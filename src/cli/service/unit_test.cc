#include "cli/service/unit.h"

#include <gtest/gtest.h>

namespace drover::cli {
namespace {

// R18: stopping the unit stops only the daemon, and the daemon has its own cgroups.
TEST(Unit, StopsOnlyTheDaemonAndDelegates) {
  const std::string unit = unit_text("/opt/my drover/droverd",
                                     {{"DROVER_HOME", "/data/%h/$x"}, {"XDG_STATE_HOME", "/s t"}});
  for (const char* line :
       {"ExecStart=\"/opt/my drover/droverd\"\n", "Environment=\"DROVER_HOME=/data/%%h/$x\"\n",
        "Environment=\"XDG_STATE_HOME=/s t\"\n", "Delegate=yes\n", "DelegateSubgroup=daemon\n",
        "KillMode=process\n", "Restart=on-failure\n", "WantedBy=default.target\n"}) {
    EXPECT_NE(unit.find(line), std::string::npos) << line << " in " << unit;
  }
  EXPECT_EQ(unit_text("/bin/droverd", {}).find("Environment"), std::string::npos);
}

// R18: systemd reads a quoted word back as the same path: quotes, backslashes, percent signs, line
// breaks and bytes that are not UTF-8. A dollar sign in a program path is not a variable.
TEST(Unit, QuotesAsSystemdReads) {
  EXPECT_EQ(unit_word("a\"b\\c%d$e"), R"("a\"b\\c%%d$e")");
  EXPECT_EQ(unit_word("it's é\n\t\x01"), "\"it's é\\n\\t\\x01\"");
  EXPECT_EQ(unit_word("\xFF"), R"("\xff")");
}

// R18: systemd refuses some program paths in any quoting; a shell starts those.
TEST(Unit, StartsAProgramAtAnyPath) {
  const auto start = [](std::string_view path) {
    const std::string unit = unit_text(path, {});
    const size_t at = unit.find("ExecStart=");
    return unit.substr(at, unit.find('\n', at) - at);
  };
  EXPECT_EQ(start("/a b/50% $x/droverd"), R"(ExecStart="/a b/50%% $x/droverd")");
  EXPECT_EQ(start("/it's $x/droverd"),
            R"(ExecStart=/bin/sh -c "exec \"$$0\"" "/it's $$x/droverd")");
}

// R18: cron gets the script's path as one word, although a shell and cron each treat some
// characters as special.
TEST(Unit, CronGetsThePathAsOneWord) {
  EXPECT_EQ(crontab_command("/h/start"), "(crontab -l; echo '@reboot /h/start') | crontab -");
  EXPECT_EQ(crontab_command("/my h/50%/s"),
            R"((crontab -l; echo '@reboot '\''/my h/50\%/s'\''') | crontab -)");
}

// Variables that were written are read back unchanged, whatever the paths are; other lines are
// skipped.
TEST(Unit, VariablesAreReadBackUnchanged) {
  const Variables odd{{"DROVER_HOME", "/%h/$x/$$/\"a\\b\"/%%/=\n\xFF\x01"}, {"XDG_STATE_HOME", ""}};
  EXPECT_EQ(unit_variables(unit_text("/bin/droverd", odd)), odd);
  EXPECT_EQ(unit_variables("Environment=A=b\nEnvironment=\"\nX=\"Y=z\""), Variables{});
}

// R18: the script passes any path to the shell unchanged.
TEST(Unit, TheScriptPassesAnyPathOn) {
  const std::string script =
      script_text("/opt/it's/drover", {{"DROVER_HOME", "/h"}, {"XDG_RUNTIME_DIR", "/r"}});
  EXPECT_NE(script.find("exec '/opt/it'\\''s/drover' status"), std::string::npos) << script;
  EXPECT_NE(script.find("export DROVER_HOME='/h'\nexport XDG_RUNTIME_DIR='/r'\n"),
            std::string::npos)
      << script;
}

}  // namespace
}  // namespace drover::cli
