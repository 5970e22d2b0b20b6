// Checks the texts of the sources against the rules of plain words: literals, comments, and the
// names of tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "cmd/literals.h"
#include "testing/plain_words.h"

namespace drover::literals {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

struct Exception {
  std::string_view file;
  std::string_view text;  // The whole literal, or a part of a long one.
  std::string_view reason;
};

constexpr auto kExceptions = std::to_array<Exception>({
    {"src/base/journal.cc", "folder", "the name of a launch step, stored in records"},
    {"src/base/crash_point.h", "output.folder_made", "the name of a crash point"},
    {"src/process/keeper_loop.cc", "output.folder_made", "the name of a crash point"},
    {"src/cli/removed.cc", "cancelled", "a status of /_ref, which spells it so"},
    {"src/run/permanent_status.cc", "cancelled", "a status of /_ref, which spells it so"},
    {"src/wire/shapes_answers.cc", "\"cancelled\"", "a status of /_ref, which spells it so"},
});

using Visit = std::function<void(const std::string& path, const std::string& source)>;

// Every header and source, by its path in the repository.
void for_each_source(std::initializer_list<const char*> directories, const Visit& visit) {
  const fs::path root = fs::path(DROVER_SOURCES).parent_path();
  for (const char* directory : directories) {
    for (const auto& entry : fs::recursive_directory_iterator(root / directory)) {
      const auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cc") continue;
      std::ifstream in(entry.path(), std::ios::binary);
      visit(entry.path().lexically_relative(root), {std::istreambuf_iterator<char>(in), {}});
    }
  }
}

// The texts of tests and fixtures are for programmers.
bool is_for_users(std::string_view path) {
  for (const std::string_view part : {"_test.", "_fixture.", "_contract.", "/fake_"}) {
    if (path.contains(part)) return false;
  }
  return !path.starts_with("src/testing/");
}

// A single word is a value or the title of a column, and not a sentence.
Texts literal_violations(const std::string& text) {
  Texts out = testing::retired_words(text);
  std::ranges::move(testing::session_violations(text), std::back_inserter(out));
  if (text.contains(' ')) {
    std::ranges::move(testing::subject_violations(text), std::back_inserter(out));
  }
  return out;
}

// No text of a source breaks a rule. An exception that is no longer needed is removed.
TEST(Literals, FollowTheRules) {
  size_t checked = 0;
  std::array<bool, kExceptions.size()> used{};
  for_each_source({"src"}, [&](const std::string& path, const std::string& source) {
    if (!is_for_users(path)) return;
    for (const Literal& literal : read_literals(source)) {
      ++checked;
      const Texts found = literal_violations(literal.text);
      if (found.empty()) continue;
      const auto exception = std::ranges::find_if(kExceptions, [&](const Exception& one) {
        return one.file == path && literal.text.contains(one.text);
      });
      if (exception == kExceptions.end()) {
        ADD_FAILURE() << path << ":" << literal.line << ": " << found.front();
      } else {
        used[static_cast<size_t>(exception - kExceptions.begin())] = true;
      }
    }
  });
  EXPECT_GT(checked, 3'000U);
  for (size_t i = 0; i < used.size(); ++i) {
    EXPECT_TRUE(used[i]) << kExceptions[i].file << ": the exception for " << kExceptions[i].text
                         << " is no longer needed";
  }
}

// No comment breaks a rule, also in tests and benchmarks. A word of another program, or one that is
// stored, is written in backticks.
TEST(Comments, FollowTheRules) {
  size_t checked = 0;
  for_each_source({"src", "tests", "bench"}, [&](const std::string& path,
                                                 const std::string& source) {
    for (const Comment& comment : read_comments(source)) {
      ++checked;
      const std::string text =
          comment.text.substr(std::min(comment.text.find_first_not_of(' '), comment.text.size()));
      EXPECT_EQ(testing::retired_words(text), Texts()) << path << ":" << comment.line;
      EXPECT_EQ(testing::subject_violations(text), Texts()) << path << ":" << comment.line;
    }
  });
  EXPECT_GT(checked, 5'000U);
}

// The words of a name: "kLaunchStep" has k, launch and step; "launch_step" launch and step.
std::string split(const std::string& name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool begins = std::isupper(static_cast<unsigned char>(name[i])) != 0 &&
                        (i == 0 || std::isupper(static_cast<unsigned char>(name[i - 1])) == 0);
    if (begins) out += ' ';
    out += name[i] == '_' ? ' ' : name[i];
  }
  return out;
}

// A name is split before capitals and at underscores, so that its words can be checked.
TEST(Names, AreSplitIntoWords) {
  EXPECT_EQ(split("kLaunchStep"), "k Launch Step");
  EXPECT_EQ(split("launch_HTTPStep"), "launch  HTTPStep");
}

struct KeptName {
  std::string_view name;
  std::string_view reason;
};

constexpr auto kKeptNames = std::to_array<KeptName>({
    {"folder", "the name of a launch step, stored in records"},
    {"kCancelled", "a status of /_ref, which spells it so"},
    {"cancelled", "a function of Asio"},
    {"milestone", "the type of a report"},
});

// No name in the code contains a retired word, and no type has a retired name. A kept name that is
// no longer used is removed from the list.
TEST(Names, FollowTheRules) {
  size_t checked = 0;
  std::set<std::string> kept;
  for_each_source(
      {"src", "tests", "bench"}, [&](const std::string& path, const std::string& source) {
        for (const Identifier& one : read_identifiers(source)) {
          ++checked;
          const std::string where = path + ":" + std::to_string(one.line) + ": " + one.name;
          if (std::ranges::find(kKeptNames, one.name, &KeptName::name) != kKeptNames.end()) {
            kept.insert(one.name);
          } else {
            EXPECT_EQ(testing::retired_words("- " + split(one.name)), Texts()) << where;
          }
          if (!one.is_declared) continue;
          for (const testing::RetiredWord& name : testing::kRetiredNames) {
            EXPECT_NE(one.name, name.phrase) << where << ": use " << name.instead;
          }
        }
      });
  EXPECT_GT(checked, 200'000U);
  EXPECT_EQ(kept.size(), kKeptNames.size());
}

// "AStopEnds" becomes "A Stop Ends".
std::string words_of(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !out.empty()) out += ' ';
    out += c;
  }
  return out;
}

// The name of a test is split before each capital letter.
TEST(TestNames, AreSplitIntoWords) {
  EXPECT_EQ(words_of("AStopEnds"), "A Stop Ends");
}

// The names in TEST(Suite, Name), TEST_F and the like.
Texts names_of_tests(const std::string& source) {
  Texts out;
  for (const std::string_view macro : {"\nTEST(", "\nTEST_F(", "\nTEST_P(", "\nTYPED_TEST("}) {
    for (size_t at = source.find(macro); at != std::string::npos; at = source.find(macro, at + 1)) {
      const size_t end = source.find(')', at);
      const size_t begin = source.find_first_not_of(" \n", source.find(',', at) + 1);
      if (begin < end) out.push_back(source.substr(begin, end - begin));
    }
  }
  return out;
}

// The names of tests contain no retired word: they are sentences, too.
TEST(TestNames, FollowTheRules) {
  size_t checked = 0;
  for_each_source({"src", "tests", "bench"},
                  [&](const std::string& path, const std::string& source) {
                    for (const std::string& name : names_of_tests(source)) {
                      ++checked;
                      EXPECT_EQ(testing::retired_words(words_of(name)), Texts()) << path;
                    }
                  });
  EXPECT_GT(checked, 1'500U);
}

}  // namespace
}  // namespace drover::literals
