#include "run/secrets.h"

#include <gtest/gtest.h>

#include "run/plain_values.h"

namespace drover::run {
namespace {

using List = std::vector<std::string>;

// R15: a value that was given for the run is secret under any name; an inherited one only under a
// name that says so, or as the password of an address.
TEST(Secrets, AreTheGivenValues) {
  const List environment{"GREETING=Xk7mQp2v",
                         "OTHER=inherited-value",
                         "MY_TOKEN=s3cr3t-token",
                         "HOMEPAGE=Ab3/x+y==",
                         "DB=pg://me:hunter2@h/x",
                         "DB2=pg://me:p@ssw0rd/x@h/x",
                         "DB3=pg://me:s%2Fl%40sh@h/x",
                         "NOTE= padded-value\n",
                         "DROVER_SECRET_ENV=GREETING,HOMEPAGE,NOTE"};
  EXPECT_EQ(Secrets(environment).values(),
            (List{"padded-value", "s3cr3t-token", "p@ssw0rd/x", "s%2Fl%40sh",
                  "Ab3/x+y==", "Xk7mQp2v", "hunter2", "s/l@sh"}));
}

// Values that are too common to hide stay, unless the variable's name says that it is secret.
TEST(Secrets, AreNotCommonValues) {
  for (const char* value : {"1",
                            "abc",
                            "true",
                            "None",
                            "8080",
                            "3.14",
                            "1.2.3",
                            "10s",
                            "512M",
                            "production",
                            "/usr/bin",
                            "/usr/local/bin:/usr/bin:/bin",
                            "./out",
                            "~/src",
                            "en_US.UTF-8",
                            "C.UTF-8",
                            "de_DE",
                            "localhost",
                            "http://localhost:3000/api",
                            "https://example.com/docs",
                            "xterm-256color"}) {
    const std::string variable = std::string("GIVEN=") + value;
    EXPECT_TRUE(Secrets(List{variable, "DROVER_SECRET_ENV=GIVEN"}).values().empty()) << value;
  }
  for (const char* value :
       {"hunter2", "swordfish", "123456", "s3cr", "Pa55", "a b c", "/x9Kq2LmZp4w",
        "https://hooks.example.com/services/T00000000/B0000/XXXXXXXXXXXXXXXXXXXXXXXX",
        "http://me:pass@host/", "https://host/?key=x", "wJalrXUtnFEMI/K7MDENG"}) {
    const std::string variable = std::string("GIVEN=") + value;
    EXPECT_FALSE(Secrets(List{variable, "DROVER_SECRET_ENV=GIVEN"}).values().empty()) << value;
  }
  EXPECT_EQ(Secrets(List{"A_TOKEN=8080", "B_TOKEN=true"}).values(), List{"8080"});
}

// A short word is hidden where it stands alone; a longer one also within other words.
TEST(Secrets, HideShortWordsOnlyAlone) {
  const Secrets secrets(List{"A=fish", "B=swordfish", "C=x9-z", "DROVER_SECRET_ENV=A,B,C"});
  EXPECT_EQ(secrets.hide("fish fisher --x=fish myswordfishes 1x9-z2"),
            "[redacted] fisher --x=[redacted] my[redacted]es 1[redacted]2");
}

// Values that overlap or touch are hidden completely.
TEST(Secrets, HideOverlappingValues) {
  const Secrets secrets(List{"A_KEY=ab1cd2", "B_KEY=cd2ef3", "C_KEY=ab1cd2e"});
  EXPECT_EQ(secrets.hide("xab1cd2ef3y"), "x[redacted]y");
  EXPECT_EQ(secrets.hide("ab1cd2ab1cd2"), "[redacted][redacted]");
  EXPECT_EQ(secrets.hide("ab1cd"), "ab1cd");
  EXPECT_EQ(secrets.hide(""), "");
}

// Linear: a request whose variables have thousands of long, similar values and whose argument
// repeats their beginning delays nobody. Redaction works on the daemon's loop.
TEST(Secrets, AreNotSlowedByRepetition) {
  List environment;
  for (int i = 0; i < 8192; ++i) {
    environment.push_back("X" + std::to_string(i) + "_TOKEN=" + std::string(220, 'a') +
                          std::to_string(i));
  }
  environment.push_back("LONG_TOKEN=" + std::string(100'000, 'a') + "b");
  const Secrets secrets(environment);
  const std::string text = std::string(128 * 1024, 'a');
  size_t steps = 0;
  EXPECT_EQ(secrets.hide(text, &steps), text);
  EXPECT_LE(steps, 2 * text.size());
}

}  // namespace
}  // namespace drover::run
