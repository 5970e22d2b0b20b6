#include "requests/environment.h"

#include <gtest/gtest.h>

namespace drover::requests {
namespace {

using List = std::vector<std::string>;

// R15, W3: the daemon's keys and Drover's own variables are withheld, except the home.
TEST(Environment, WithholdsKeys) {
  EXPECT_EQ(inheritable({"HOME=/h", "OPENAI_API_KEY=x", "DROVER_HOME=/d", "DROVER_TOKEN=t",
                         "ANTHROPIC_API_KEY=", "BROKEN", "=x", "EMPTY="}),
            (List{"HOME=/h", "DROVER_HOME=/d", "EMPTY="}));
}

// Variables of the request win, even withheld names. Drover's own directory is last in PATH, once.
TEST(Environment, IsComposedInLayers) {
  EXPECT_EQ(compose({"A=1", "B=2", "PATH=/bin"}, {{"B", "3"}, {"OPENAI_API_KEY", "own"}}, "/d"),
            (List{"A=1", "B=3", "OPENAI_API_KEY=own", "PATH=/bin:/d"}));
  EXPECT_EQ(compose({}, {{"PATH", "/x:/d:/y"}}, "/d"), (List{"PATH=/x:/d:/y"}));
  EXPECT_EQ(compose({}, {{"PATH", ""}}, "/d"), (List{"PATH=/d"}));
  // Without a PATH the default one is used; Drover's directory alone would hide every program.
  EXPECT_EQ(compose({}, {}, "/d"), (List{"PATH=/usr/local/bin:/usr/bin:/bin:/d"}));
}

// R15: variables of a request are noted as given, together with those noted before; plain values
// are not.
TEST(Environment, NotesGivenVariables) {
  const List inherited{"A=1", "DROVER_SECRET_ENV=OLD"};
  std::map<std::string, std::string> plain{{"MODE", "debug"}, {"PORT", "8080"}};
  note_given(inherited, plain);
  EXPECT_EQ(compose(inherited, plain, ""),
            (List{"A=1", "DROVER_SECRET_ENV=OLD", "MODE=debug", "PORT=8080",
                  "PATH=/usr/local/bin:/usr/bin:/bin"}));
  std::map<std::string, std::string> given{
      {"MODE", "debug"}, {"WHO", "hunter2"}, {"DROVER_SECRET_ENV", "X,Y"}};
  note_given(inherited, given);
  EXPECT_EQ(given.at("DROVER_SECRET_ENV"), "X,Y,WHO,OLD");
  EXPECT_EQ(inheritable(inherited), inherited);
}

}  // namespace
}  // namespace drover::requests
