#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "base/fd.h"
#include "cli/documents_fixture.h"
#include "cli/every_command.h"
#include "cli/parse.h"

namespace drover::cli {
namespace {

std::vector<std::filesystem::path> documents() {
  const std::filesystem::path docs = DROVER_DOCS;
  std::vector<std::filesystem::path> found{docs / "../README.md", docs / "../ARCHITECTURE.md",
                                           docs / "../CONTRIBUTING.md", docs / "../CHANGELOG.md"};
  for (const char* directory : {"", "tasks", "adding"}) {
    for (const auto& entry : std::filesystem::directory_iterator(docs / directory)) {
      if (entry.path().extension() == ".md") found.push_back(entry.path());
    }
  }
  return found;
}

std::string said(const Words& words) {
  std::string out = "drover";
  for (const std::string& word : words) out += " " + word;
  return out;
}

// Every `drover …` line that a document shows in a block is a valid command line.
TEST(DocumentedCommands, Parse) {
  int lines = 0;
  for (const auto& document : documents()) {
    const auto text = read_file(document.string(), 1 << 20);
    ASSERT_TRUE(text) << document;
    for (const Words& words : drover_lines(*text)) {
      const auto parsed = parse(every_command(), words);
      EXPECT_TRUE(parsed && parsed->command != nullptr)
          << document.filename() << ": " << said(words) << "\n"
          << (parsed ? "not a command" : parsed.error().message);
      ++lines;
    }
  }
  EXPECT_GE(lines, 100);
}

// Every file that a document links to exists.
TEST(DocumentedLinks, LeadToFiles) {
  const std::regex link("\\]\\(([^)#:]+)[#)]");
  for (const auto& document : documents()) {
    const auto text = read_file(document.string(), 1 << 20);
    ASSERT_TRUE(text) << document;
    for (std::sregex_iterator at(text->begin(), text->end(), link), end; at != end; ++at) {
      EXPECT_TRUE(exists(document.parent_path() / (*at)[1].str())) << document << ": " << at->str();
    }
  }
}

// The fixture finds `drover` wherever a shell would run it, with the words that the shell would
// pass.
TEST(DocumentedCommands, FixtureFindsThemAsAShellWould) {
  const auto only = [](const std::string& line) {
    return drover_lines("text\n```sh\n" + line + "\n```\n");
  };
  using Lines = std::vector<Words>;
  EXPECT_EQ(only("drover ps -a   # all of them; drover is quick"), (Lines{{"ps", "-a"}}));
  EXPECT_EQ(only("id=$(drover run -d -- make)"), (Lines{{"run", "-d", "--", "make"}}));
  EXPECT_EQ(only("find . | drover run --each -- flac {} 2>&1 > log && drover top"),
            (Lines{{"run", "--each", "--", "flac", "{}"}, {"top"}}));
  EXPECT_EQ(only("A=1 drover wait \"$(drover show x)\" 'a b'"),
            (Lines{{"show", "x"}, {"wait", "$()", "a b"}}));
  EXPECT_EQ(only("source <(drover completion bash)\ndrover run \\\n  -d -- a"),
            (Lines{{"completion", "bash"}, {"run", "-d", "--", "a"}}));
  EXPECT_EQ(only("drover send x < answers; echo drover ps"), (Lines{{"send", "x"}}));
  EXPECT_EQ(drover_lines("```console\n$ drover ps\ndrover prints\n```\n```\ndrover x\n```\n"),
            (Lines{{"ps"}}));
}

}  // namespace
}  // namespace drover::cli
