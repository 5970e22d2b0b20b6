// Checks the documents and scripts of the repository against the rules of plain words.
#include "cmd/prose.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "testing/plain_words.h"

namespace drover::literals {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

constexpr size_t kProseColumns = 125;

const fs::path kRoot = fs::path(DROVER_SOURCES).parent_path();

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> documents() {
  std::vector<fs::path> out{kRoot / "README.md", kRoot / "ARCHITECTURE.md",
                            kRoot / "CONTRIBUTING.md", kRoot / "CHANGELOG.md",
                            kRoot / "bench/RESULTS.md"};
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() == ".md") out.push_back(entry.path());
  }
  return out;
}

// Lines of a paragraph or of an item are one text, and headings and rows are others. Code, the
// targets of links and emphasis are left out.
TEST(Prose, IsReadByParagraph) {
  const auto found = read_prose(
      "# What `x` is\nOne\n`two` *three*\n\n- four\n  five\n- [six](a.md)\n| a | b "
      "|\n```\nno\n```\n> end");
  Texts texts;
  for (const Prose& one : found) texts.push_back(std::to_string(one.line) + one.text);
  EXPECT_EQ(texts,
            (Texts{"1What ` is", "2One ` three", "5four five", "7[six)", "8| a | b |", "12end"}));
  EXPECT_EQ(found[0].part, Part::heading);
  EXPECT_EQ(found[4].part, Part::row);
}

// Only lines that can be wrapped count.
TEST(Prose, FindsLongLines) {
  EXPECT_EQ(long_lines("12 45\n12 456\n123456\n| 3456 |\n```\n12 456\n```\n1… 45\n", 5),
            Texts{"2: 12 456"});
}

// No document contains a retired word, a session of no kind, or a sentence whose subject is "what"
// or "who". The glossary lists the retired words, so it is not checked for them.
TEST(Documents, FollowTheRules) {
  EXPECT_GT(documents().size(), 20U);
  for (const fs::path& file : documents()) {
    const bool glossary = file.filename() == "words.md";
    for (const Prose& prose : read_prose(text_of(file))) {
      const std::string where =
          file.lexically_relative(kRoot).string() + ":" + std::to_string(prose.line);
      if (prose.part == Part::sentences) {
        EXPECT_EQ(testing::subject_violations(prose.text), Texts()) << where;
      }
      if (glossary) continue;
      EXPECT_EQ(testing::retired_words(prose.text), Texts()) << where;
      EXPECT_EQ(testing::session_violations(prose.text), Texts()) << where;
    }
  }
}

// The lines of documents fit into an editor.
TEST(Documents, HaveShortLines) {
  for (const fs::path& file : documents()) {
    EXPECT_EQ(long_lines(text_of(file), kProseColumns), Texts()) << file.lexically_relative(kRoot);
  }
}

// The glossary lists exactly the retired words that the tests look for.
TEST(Documents, TheGlossaryListsTheRetiredWords) {
  std::map<std::string, std::string> listed;
  bool here = false;
  std::ifstream in(kRoot / "docs/words.md");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) here = line == "## Retired everywhere";
    if (!here || !line.starts_with("| ") || line.starts_with("| never")) continue;
    const size_t middle = line.find(" | ", 2);
    ASSERT_NE(middle, std::string::npos) << line;
    listed[line.substr(2, middle - 2)] = line.substr(middle + 3, line.size() - middle - 5);
  }
  std::map<std::string, std::string> checked;
  for (const testing::RetiredWord& word : testing::kRetiredWords) {
    checked[std::string(word.phrase)] = word.instead;
  }
  EXPECT_EQ(listed, checked);
}

// Scripts contain no retired word, and their comments no riddle.
TEST(Scripts, FollowTheRules) {
  std::vector<fs::path> files{kRoot / "dev", kRoot / ".ci/run"};
  for (const char* directory : {"bench", "docs/picture", "tests/ecosystem"}) {
    for (const auto& entry : fs::directory_iterator(kRoot / directory)) {
      const auto extension = entry.path().extension();
      const bool script = extension == ".sh" || extension == ".mjs" || extension == ".awk" ||
                          extension == ".py" || extension.empty();
      if (entry.is_regular_file() && script) files.push_back(entry.path());
    }
  }
  EXPECT_GE(files.size(), 8U);
  for (const fs::path& file : files) {
    size_t number = 0;
    std::string comment;  // Comments on successive lines are one text.
    const auto check = [&] {
      const std::string where =
          file.lexically_relative(kRoot).string() + ":" + std::to_string(number);
      EXPECT_EQ(testing::retired_words(comment), Texts()) << where;
      EXPECT_EQ(testing::subject_violations(comment), Texts()) << where;
      comment.clear();
    };
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      ++number;
      const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
      const std::string_view rest = std::string_view(line).substr(begin);
      const bool comments = rest.starts_with("# ") || rest.starts_with("// ");
      if (!comments) check();
      EXPECT_EQ(testing::retired_words(line), Texts()) << file << ":" << number;
      if (comments) comment += std::string(rest.substr(rest.find(' '))) + " ";
    }
    check();
  }
}

}  // namespace
}  // namespace drover::literals
