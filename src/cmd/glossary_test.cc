// Checks the texts for people against the third column of the glossary, docs/words.md: the words
// that are not used for a thing.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "cmd/literals.h"
#include "cmd/prose.h"
#include "testing/plain_words.h"

namespace drover::literals {
namespace {

namespace fs = std::filesystem;
using Words = std::set<std::string>;

const fs::path kRoot = fs::path(DROVER_SOURCES).parent_path();

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// "a finish; end, terminate (as verbs)" has finish, end and terminate.
void add_words(std::string_view cell, Words& out) {
  std::string word;
  const auto flush = [&] {
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    if (!word.empty() && word != "a finish") out.insert(word);
    word.clear();
  };
  bool inside = false;  // A remark in parentheses.
  for (const char c : cell) {
    if (c == '(') inside = true;
    if (c == ',' || c == ';') {
      flush();
    } else if (!inside) {
      word += c;
    }
    if (c == ')') inside = false;
  }
  flush();
}

// The words of the third column that are not retired everywhere, which has tests of its own.
Words glossary() {
  Words out;
  std::ifstream in(kRoot / "docs/words.md");
  for (std::string line; std::getline(in, line) && line != "## Retired everywhere";) {
    if (!line.starts_with("| **")) continue;
    const size_t end = line.rfind(" |");
    const size_t begin = line.rfind(" | ", end - 1);
    if (begin != std::string::npos && begin < end) {
      add_words(line.substr(begin + 3, end - std::min(end, begin + 3)), out);
    }
  }
  for (const testing::RetiredWord& word : testing::kRetiredWords) {
    out.erase(std::string(word.phrase));
  }
  return out;
}

// The words that a machine can look for.
Words searched() {
  Words out = glossary();
  for (const testing::OrdinaryWord& word : testing::kOrdinaryWords) {
    out.erase(std::string(word.word));
  }
  return out;
}

// Where `word` stands in `text`, as a word of a sentence: not in quotation marks, and not a part of
// a name such as a path, an option or a field.
bool contains(const std::string& text, const std::string& word) {
  constexpr std::string_view kOfNames = "\"`_-/.=<#&'";
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if (!testing::plain_words::stands_at(text, word, at)) continue;
    const char before = at == 0 ? ' ' : text[at - 1];
    const size_t end = at + word.size();
    const bool ends = end == text.size() ||
                      (text[end] == '.' && (end + 1 == text.size() || text[end + 1] == ' '));
    if (kOfNames.contains(before) || (!ends && kOfNames.contains(text[end]))) continue;
    return true;
  }
  return false;
}

void check(const std::string& text, const Words& words, const std::string& where) {
  const std::string line = testing::plain_words::lower(testing::plain_words::one_line(text));
  for (const std::string& word : words) {
    EXPECT_FALSE(contains(line, word))
        << where << ": \"" << word << "\" is not the word for it: " << text;
  }
}

// A retired word is found in a sentence, but not in quotes, names or other words. The column lists
// words without the notes in parentheses.
TEST(Glossary, FindsWordsOfSentences) {
  EXPECT_TRUE(contains("run a task.", "task"));
  EXPECT_FALSE(contains("run a \"task\", tasks, docs/task.md, --task", "task"));
  Words words;
  add_words("a finish; end, terminate (as verbs, mostly)", words);
  EXPECT_EQ(words, (Words{"end", "terminate"}));
}

// Every exception is a word of the column.
TEST(Glossary, OrdinaryWordsAreInIt) {
  const Words words = glossary();
  EXPECT_GT(words.size(), 60U);
  for (const testing::OrdinaryWord& one : testing::kOrdinaryWords) {
    EXPECT_TRUE(words.contains(std::string(one.word))) << one.word;
  }
}

// No help, message or description uses one of the words.
TEST(Glossary, TextsFollowIt) {
  const Words words = searched();
  size_t checked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src")) {
    const std::string path = entry.path().lexically_relative(kRoot);
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cc") continue;
    if (path.contains("_test.") || path.contains("_fixture.") || path.contains("_contract.") ||
        path.contains("/fake_") || path.starts_with("src/testing/")) {
      continue;
    }
    for (const Literal& literal : read_literals(text_of(entry.path()))) {
      if (!literal.text.contains(' ')) continue;  // A value.
      ++checked;
      check(literal.text, words, path + ":" + std::to_string(literal.line));
    }
  }
  EXPECT_GT(checked, 2'000U);
}

// No document uses one of the words, except in the glossary.
TEST(Glossary, DocumentsFollowIt) {
  const Words words = searched();
  size_t checked = 0;
  std::vector<fs::path> files{kRoot / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs/tasks")) {
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  }
  for (const fs::path& file : files) {
    for (const Prose& prose : read_prose(text_of(file))) {
      ++checked;
      check(prose.text, words,
            file.lexically_relative(kRoot).string() + ":" + std::to_string(prose.line));
    }
  }
  EXPECT_GT(checked, 200U);
}

}  // namespace
}  // namespace drover::literals
