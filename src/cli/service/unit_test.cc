#include "cli/service/unit.h"

#include <gtest/gtest.h>

namespace drover::cli {
namespace {

// R18: a unit that stops takes only the daemon along, and the daemon has its groups to itself.
TEST(Unit, SaysWhatMatters) {
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

// R18: systemd reads a quoted word back as the path was: quotes, backslashes, percent signs, line
// breaks and bytes that are no text. A dollar sign in a program's path is not a variable to it.
TEST(Unit, QuotesAsSystemdReads) {
  EXPECT_EQ(unit_word("a\"b\\c%d$e"), R"("a\"b\\c%%d$e")");
  EXPECT_EQ(unit_word("it's é\n\t\x01"), "\"it's é\\n\\t\\x01\"");
  EXPECT_EQ(unit_word("\xFF"), R"("\xff")");
}

// R18: systemd refuses some paths of programs in any quoting; a shell starts those.
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

// R18: cron gets the script's path as one word, from a shell and in a line where % is special.
TEST(Unit, CrontabCommand) {
  EXPECT_EQ(crontab_command("/h/start"), "(crontab -l; echo '@reboot /h/start') | crontab -");
  EXPECT_EQ(crontab_command("/my h/50%/s"),
            R"((crontab -l; echo '@reboot '\''/my h/50\%/s'\''') | crontab -)");
}

// What was written is read again as it was, whatever the paths are; another's lines are left out.
TEST(Unit, Variables) {
  const Variables odd{{"DROVER_HOME", "/%h/$x/$$/\"a\\b\"/%%/=\n\xFF\x01"}, {"XDG_STATE_HOME", ""}};
  EXPECT_EQ(unit_variables(unit_text("/bin/droverd", odd)), odd);
  EXPECT_EQ(unit_variables("Environment=A=b\nEnvironment=\"\nX=\"Y=z\""), Variables{});
}

// R18: whatever the paths are, the script says them to the shell as they are.
TEST(Unit, Script) {
  const std::string script =
      script_text("/opt/it's/drover", {{"DROVER_HOME", "/h"}, {"XDG_RUNTIME_DIR", "/r"}});
  EXPECT_NE(script.find("exec '/opt/it'\\''s/drover' status"), std::string::npos) << script;
  EXPECT_NE(script.find("export DROVER_HOME='/h'\nexport XDG_RUNTIME_DIR='/r'\n"),
            std::string::npos)
      << script;
}

}  // namespace
}  // namespace drover::cli
