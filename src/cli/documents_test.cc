#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "base/fd.h"
#include "cli/documents_fixture.h"
#include "cli/every_command.h"
#include "cli/parse.h"

namespace drover::cli {
namespace {

std::vector<std::filesystem::path> documents() {
  const std::filesystem::path docs = DROVER_DOCS;
  std::vector<std::filesystem::path> found{docs / "../README.md", docs / "../ARCHITECTURE.md",
                                           docs / "../CONTRIBUTING.md", docs / "../CHANGELOG.md",
                                           docs / "../bench/RESULTS.md"};
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

// The names by which links refer to the headings of a document.
std::set<std::string> anchors_of(const std::filesystem::path& document) {
  std::set<std::string> anchors;
  std::istringstream text(read_file(document.string(), 1 << 20).value_or(""));
  for (std::string line; std::getline(text, line);) {
    const size_t begin = line.find_first_not_of('#');
    if (begin == 0 || begin == line.npos || line[begin] != ' ') continue;
    std::string anchor;
    for (const char c : line.substr(begin + 1)) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) != 0 || c == '-' || c == '_' || byte >= 0x80) {
        anchor += static_cast<char>(std::tolower(byte));
      }
      if (c == ' ') anchor += '-';
    }
    anchors.insert(anchor);
  }
  return anchors;
}

// Every file that a document links to exists, and so does every heading.
TEST(DocumentedLinks, LeadToFiles) {
  const std::regex link("\\]\\(([^)#:]*)(#[^)]+)?\\)");
  int headings = 0;
  for (const auto& document : documents()) {
    const auto text = read_file(document.string(), 1 << 20);
    ASSERT_TRUE(text) << document;
    for (std::sregex_iterator at(text->begin(), text->end(), link), end; at != end; ++at) {
      const auto file = (*at)[1].length() == 0 ? document : document.parent_path() / (*at)[1].str();
      EXPECT_TRUE(exists(file)) << document << ": " << at->str();
      if ((*at)[2].length() == 0) continue;
      EXPECT_TRUE(anchors_of(file).contains((*at)[2].str().substr(1)))
          << document << ": " << at->str();
      ++headings;
    }
  }
  EXPECT_GE(headings, 5);
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
  EXPECT_EQ(only("drover export > \\\n  runs.csv"), (Lines{{"export"}}));
  EXPECT_EQ(drover_lines("```console\n$ drover ps\ndrover prints\n```\n```\ndrover x\n```\n"),
            (Lines{{"ps"}}));
}

}  // namespace
}  // namespace drover::cli
