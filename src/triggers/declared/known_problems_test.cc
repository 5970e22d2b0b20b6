// A problem of a file that declares triggers is reported once, and so is its solution.
#include "triggers/declared/known_problems.h"

#include <gtest/gtest.h>

namespace drover::triggers {
namespace {

Problem problem(const std::string& file, const std::string& message) {
  return {.file = file, .line = 1, .column = 1, .message = message};
}

// Passes what is new to `known` as the caller does, and returns it: "/a: x, y; ".
std::string report(KnownProblems& known, std::vector<Problem> problems) {
  std::string out;
  for (const auto& [file, found] : known.unreported(problems)) {
    out += file + ":";
    for (const Problem& one : found) out += " " + one.message;
    out += "; ";
    known.set_reported(file, found);
  }
  known.set_current(std::move(problems));
  return out;
}

TEST(KnownProblems, AreReportedOnce) {
  KnownProblems known;
  EXPECT_EQ(report(known, {}), "");
  EXPECT_EQ(report(known, {problem("/a", "x"), problem("/b", "y")}), "/a: x; /b: y; ");
  EXPECT_EQ(report(known, {problem("/a", "x"), problem("/b", "y")}), "");
  EXPECT_EQ(report(known, {problem("/a", "x"), problem("/a", "z")}), "/a: x z; /b:; ");
  EXPECT_EQ(known.current().size(), 2U);
  EXPECT_EQ(report(known, {}), "/a:; ");
  EXPECT_EQ(report(known, {problem("/a", "x")}), "/a: x; ");
}

// A report that was not stored is made again; also that of a solution, although the problem is not
// shown any more.
TEST(KnownProblems, AreReportedUntilItIsStored) {
  KnownProblems known;
  EXPECT_EQ(known.unreported({problem("/a", "x")}).size(), 1U);
  known.set_current({problem("/a", "x")});
  EXPECT_EQ(report(known, {problem("/a", "x")}), "/a: x; ");
  EXPECT_EQ(known.unreported({}).size(), 1U);
  known.set_current({});
  EXPECT_EQ(report(known, {}), "/a:; ");
  EXPECT_EQ(report(known, {}), "");
}

}  // namespace
}  // namespace drover::triggers
