#include "cmd/literals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "testing/plain_words.h"

namespace drover::literals {
namespace {

std::vector<std::string> texts(std::string_view source) {
  std::vector<std::string> out;
  for (const Literal& literal : read_literals(source)) out.push_back(literal.text);
  return out;
}

using Texts = std::vector<std::string>;

// Literals side by side are one text, also across lines; anything between them separates them.
TEST(Literals, AdjacentOnesAreOne) {
  EXPECT_EQ(texts("f(\"a \"\n  // why\n  \"b\", \"c\");"), (Texts{"a b", "c"}));
  EXPECT_EQ(texts("x = R\"(one\n\"two\")\" \"!\" + R\"q()\")q\";"),
            (Texts{"one\n\"two\"!", ")\""}));
  EXPECT_EQ(texts(R"(say("\"5\"\n is \\ bad");)"), Texts{"\"5\"  is \\ bad"});
}

// Comments, names of included files, characters and SQL are skipped.
TEST(Literals, SkipsTheRest) {
  EXPECT_EQ(texts("#include \"a.h\"\n// \"b\"\n/* \"c\"\n */ char d = '\"'; int e = 1'000; \"f\""),
            Texts{"f"});
  EXPECT_EQ(texts("char a = '\\''; \"b\"; '\\\\'; \"c\""), (Texts{"b", "c"}));
  EXPECT_EQ(texts("\"SELECT id \" \"FROM runs\"; R\"sql(\nCREATE TABLE a)sql\""), Texts{});
  EXPECT_EQ(texts("HOUR\"x\"; \"unfinished"), (Texts{"x", "unfinished"}));
}

// A literal knows the line that it begins in.
TEST(Literals, CountLines) {
  const auto found = read_literals("/*\n*/ R\"(\n\n)\";\n\"b\"\n\"c\"");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].line, 2U);
  EXPECT_EQ(found[1].line, 5U);
}

struct Exception {
  std::string_view file;
  std::string_view text;  // The whole literal, or a part of a long one.
  std::string_view reason;
};

constexpr auto kExceptions = std::to_array<Exception>({
    {"base/journal.cc", "folder", "the name of a launch step, stored in records"},
    {"base/crash_point.h", "output.folder_made", "the name of a crash point"},
    {"process/keeper_loop.cc", "output.folder_made", "the name of a crash point"},
    {"cli/removed.cc", "cancelled", "a status of /_ref, which spells it so"},
    {"run/permanent_status.cc", "cancelled", "a status of /_ref, which spells it so"},
    {"wire/shapes_answers.cc", "\"cancelled\"", "a status of /_ref, which spells it so"},
});

// The texts of tests and fixtures are for programmers.
bool is_checked(std::string_view path) {
  for (const std::string_view part : {"_test.", "_fixture.", "_contract.", "/fake_"}) {
    if (path.contains(part)) return false;
  }
  return !path.starts_with("testing/");
}

// "There is no run x" is plain English; "x is no run" is not.
std::string without_there_is_no(std::string text) {
  for (const std::string_view plain : {"there is no ", "There is no "}) {
    for (size_t at = text.find(plain); at != std::string::npos; at = text.find(plain, at)) {
      text.replace(at, plain.size(), "no ");
    }
  }
  return text;
}

// Not the rule about the beginnings of sentences: a literal may be the middle of one.
std::vector<std::string> retired_words_in(const std::string& text) {
  std::vector<std::string> out = testing::violations(without_there_is_no(text));
  std::erase_if(out, [](const std::string& one) { return !one.contains("is retired"); });
  return out;
}

// No text of a source contains a retired word. An exception that is no longer needed is removed.
TEST(Literals, ContainNoRetiredWords) {
  const std::filesystem::path root(DROVER_SOURCES);
  size_t checked = 0;
  std::vector<bool> used(kExceptions.size());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string path = entry.path().lexically_relative(root);
    const auto extension = entry.path().extension();
    if ((extension != ".h" && extension != ".cc") || !is_checked(path)) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string source{std::istreambuf_iterator<char>(in), {}};
    for (const Literal& literal : read_literals(source)) {
      ++checked;
      const auto found = retired_words_in(literal.text);
      if (found.empty()) continue;
      const auto exception = std::ranges::find_if(kExceptions, [&](const Exception& one) {
        return one.file == path && literal.text.contains(one.text);
      });
      if (exception == kExceptions.end()) {
        ADD_FAILURE() << "src/" << path << ":" << literal.line << ": " << found.front();
      } else {
        used[static_cast<size_t>(exception - kExceptions.begin())] = true;
      }
    }
  }
  EXPECT_GT(checked, 3'000U);
  for (size_t i = 0; i < used.size(); ++i) {
    EXPECT_TRUE(used[i]) << kExceptions[i].file << ": the exception for " << kExceptions[i].text
                         << " is no longer needed";
  }
}

// The lines of a document without its code, which quotes programs.
std::vector<std::string> prose_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> out;
  bool fenced = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) fenced = !fenced;
    std::string& prose = out.emplace_back();
    bool code = fenced;
    for (const char c : line) {
      if (c == '`') code = !code;
      if (!code) prose += c;
    }
  }
  return out;
}

// No document contains a retired word, but for the glossary, which lists them.
TEST(Documents, ContainNoRetiredWords) {
  const std::filesystem::path root = std::filesystem::path(DROVER_SOURCES).parent_path();
  std::vector<std::filesystem::path> files{root / "README.md", root / "ARCHITECTURE.md",
                                           root / "CONTRIBUTING.md", root / "CHANGELOG.md",
                                           root / "bench/RESULTS.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md" && entry.path().filename() != "words.md") {
      files.push_back(entry.path());
    }
  }
  EXPECT_GT(files.size(), 20U);
  for (const std::filesystem::path& file : files) {
    size_t number = 0;
    for (const std::string& line : prose_of(file)) {
      ++number;
      EXPECT_EQ(retired_words_in(line), Texts()) << file.lexically_relative(root) << ":" << number;
    }
  }
}

}  // namespace
}  // namespace drover::literals
