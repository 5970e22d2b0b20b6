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
  EXPECT_EQ(unit_word("a\"b\\c%d$e"), "\"a\\\"b\\\\c%%d$$e\"");
}

// What was written is read again as it was, whatever the paths are; another's lines are left out.
TEST(Unit, Variables) {
  const Variables odd{{"DROVER_HOME", "/%h/$x/$$/\"a\\b\"/%%/="}, {"XDG_STATE_HOME", ""}};
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
