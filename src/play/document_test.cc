// docs/play.md names every state, transition, code and severity that the code has.
#include <gtest/gtest.h>

#include <string>

#include "base/fd.h"
#include "play/diagnostics.h"
#include "play/life.h"
#include "play/project.h"

namespace drover::play {
namespace {

std::string document() {
  const auto text = read_file(std::string(DROVER_DOCS) + "/play.md", 1 << 20);
  EXPECT_TRUE(text) << text.error().message;
  return text.value_or("");
}

// P5, P8: states, what leads from one to the next, codes, severities.
TEST(PlayDocument, NamesEverything) {
  const std::string text = document();
  const auto names = [&](std::string_view word) {
    EXPECT_TRUE(text.contains("`" + std::string(word) + "`")) << word;
  };
  for (const State state : kStates) names(name(state));
  for (const Happening happening : kHappenings) names(name(happening));
  for (const Severity severity :
       {Severity::debug, Severity::info, Severity::warning, Severity::error}) {
    names(name(severity));
  }
  for (const char* code : {"runtime_path_missing", "runtime_path_blank", "runtime_path_invalid",
                           "runtime_path_not_found", "runtime_path_not_executable", "spawn_failed",
                           "bad_project", "no_project", "bad_build", "build_too_large"}) {
    names(code);
  }
}

// The examples in docs/play.md parse and give the results that the text states.
TEST(PlayDocument, HasValidExamples) {
  const std::string text = document();
  const auto block = [&](const std::string& language, const std::string& with) {
    for (size_t at = text.find("```" + language + "\n"); at != std::string::npos;
         at = text.find("```" + language + "\n", at + 1)) {
      const size_t begin = at + 4 + language.size();
      std::string found = text.substr(begin, text.find("```", begin) - begin);
      if (found.contains(with)) return found;
    }
    return std::string();
  };
  const auto project = parse_project("docs/play.md", block("toml", "[project]"));
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_EQ(project->pack->timeout_ms, 300'000);
  EXPECT_EQ(project->validate->argv.size(), 2U);
  std::string line = block("json", "severity");
  const auto diagnostic = read_diagnostic(line);
  ASSERT_TRUE(diagnostic) << line;
  EXPECT_TRUE(diagnostic->blocking);
}

}  // namespace
}  // namespace drover::play
