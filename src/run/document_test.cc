// The documents name everything that the code defines: an addition there must be documented.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/fd.h"
#include "run/event.h"
#include "run/record_json.h"

namespace drover::run {
namespace {

std::string document(const char* name) {
  const auto text = read_file(std::string(DROVER_DOCS) + "/" + name, 1 << 20);
  EXPECT_TRUE(text) << text.error().message;
  return text.value_or("");
}

// A word of the code is written in a document between backticks.
testing::AssertionResult names(const std::string& text, std::string_view word) {
  if (text.find("`" + std::string(word) + "`") != std::string::npos) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "the document does not name `" << word << "`";
}

// docs/run.md has every state, reason, launch step and field of a record and of its receipt.
TEST(Documents, RunNamesEverything) {
  const std::string text = document("run.md");
  for (const State state : kStates) EXPECT_TRUE(names(text, name(state)));
  for (const std::string_view reason : detail::kReasonNames) EXPECT_TRUE(names(text, reason));
  for (auto step = LaunchStep::folder; step <= kLastLaunchStep;
       step = static_cast<LaunchStep>(static_cast<std::uint32_t>(step) + 1)) {
    EXPECT_TRUE(names(text, name(step)));
  }
  for (const auto& field : describe(Record{}, only_commands()))
    EXPECT_TRUE(names(text, field.key()));
  for (const auto& field : describe(Receipt{})) EXPECT_TRUE(names(text, field.key()));
}

// docs/keeper-files.md has the number of every launch step.
TEST(Documents, KeeperFilesNumbersTheLaunchSteps) {
  const std::string text = document("keeper-files.md");
  for (auto step = LaunchStep::folder; step <= kLastLaunchStep;
       step = static_cast<LaunchStep>(static_cast<std::uint32_t>(step) + 1)) {
    const std::string entry =
        std::to_string(static_cast<std::uint32_t>(step)) + " `" + std::string(name(step)) + "`";
    EXPECT_TRUE(text.contains(entry)) << "the document does not have " << entry;
  }
}

// docs/events.md has every type of event and every field that one carries.
TEST(Documents, EventsNamesEverything) {
  const std::string text = document("events.md");
  // The types have no list: their names are taken from the source.
  const std::string source = document("../src/run/event.cc");
  const std::regex type("return \"(run\\.[a-z_]+)\"");
  std::set<std::string> types;
  for (std::sregex_iterator at(source.begin(), source.end(), type), end; at != end; ++at) {
    EXPECT_TRUE(names(text, (*at)[1].str()));
    types.insert((*at)[1]);
  }
  EXPECT_TRUE(types.contains(std::string(name(EventType::delete_refused))));
  for (const auto& field : describe_submission(Record{})) EXPECT_TRUE(names(text, field.key()));
  for (const auto& field : describe_end(Record{})) EXPECT_TRUE(names(text, field.key()));
}

// A file of tests: its path, and the comments and names in it.
struct TestFile {
  std::string path;
  std::string words;
};

std::vector<TestFile> test_files() {
  std::vector<TestFile> all;
  for (const char* directory : {"/../src", "/../tests"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(DROVER_DOCS) + directory)) {
      const std::string path = entry.path().lexically_normal().string();
      if (!path.ends_with("_test.cc") && !path.ends_with("_test.mjs")) continue;
      TestFile& found = all.emplace_back(path, "");
      std::istringstream file(read_file(path, 1 << 20).value_or(""));
      for (std::string line; std::getline(file, line);) {
        const bool is_name = line.starts_with("TEST") || line.starts_with("RC_GTEST_PROP");
        if (line.starts_with("// ") || is_name) found.words += line + "\n";
      }
    }
  }
  return all;
}

std::string words_of_tests() {
  std::string text;
  for (const TestFile& file : test_files()) text += file.words;
  return text;
}

// docs/promises.md: each promise is named by a test that keeps it, as "R4:" or "R4, R7:".
TEST(Documents, PromisesAreNamedByTests) {
  std::istringstream text(document("promises.md"));
  const std::string comments = words_of_tests();
  int promises = 0;
  for (std::string line; std::getline(text, line);) {
    const bool is_row = line.starts_with("| R") || line.starts_with("| H") ||
                        line.starts_with("| P") || line.starts_with("| A");
    if (!is_row) continue;
    const std::string promise = line.substr(2, line.find_first_of(" ,", 2) - 2);
    const auto named = [&](const char* mark) { return comments.contains(" " + promise + mark); };
    EXPECT_TRUE(named(":") || named(",")) << promise;
    ++promises;
  }
  EXPECT_GE(promises, 41);
}

// The reverse: every promise that a test names is in docs/promises.md.
TEST(Documents, PromisesThatTestsNameExist) {
  const std::string promises = document("promises.md");
  const std::string comments = words_of_tests();
  const std::regex labels("// ((?:[RHPSWA]\\d+, )*[RHPSWA]\\d+): ");
  const std::regex label("[RHPSWA]\\d+");
  for (std::sregex_iterator at(comments.begin(), comments.end(), labels), end; at != end; ++at) {
    const std::string named = (*at)[1];
    for (std::sregex_iterator one(named.begin(), named.end(), label); one != end; ++one) {
      EXPECT_TRUE(std::regex_search(promises, std::regex("\\b" + one->str() + "\\b"))) << at->str();
    }
  }
}

// The files that promises.md names by `word`: one (`run/life_test`), several (… stands for
// anything), or a suite.
std::vector<TestFile> files_named(const std::vector<TestFile>& all, const std::string& word) {
  std::vector<TestFile> out;
  const size_t open = word.find("…");
  const std::string begin = "/" + word.substr(0, open);
  for (const TestFile& file : all) {
    const bool is_it = open != word.npos         ? file.path.contains(begin)
                       : word.ends_with("_test") ? file.path.ends_with(begin + ".cc")
                                                 : file.path.contains("/tests" + begin + "/");
    if (is_it) out.push_back(file);
  }
  return out;
}

// promises.md: every test that it names is in the file or suite that is named before it.
TEST(Documents, TestsThatKeepPromisesExist) {
  const std::vector<TestFile> all = test_files();
  std::vector<TestFile> files;  // Named last.
  const auto has = [](const TestFile& file, const std::string& test) {
    return file.words.contains(", " + test + ")") || file.words.contains(", " + test + ",") ||
           file.words.contains("(" + test + ",");
  };
  const auto exists = [&](const std::string& word) {
    if (std::isupper(static_cast<unsigned char>(word.front())) != 0) {
      return std::ranges::any_of(files, [&](const TestFile& file) { return has(file, word); });
    }
    files = files_named(all, word);
    return !files.empty() || word == "pictures" || word.starts_with("doctor ");
  };
  int named = 0;
  // The last column of the tables: the tests of each promise.
  std::istringstream text(document("promises.md"));
  std::string line;
  for (bool inside = false; std::getline(text, line);) {
    if (!line.starts_with("|")) inside = false;
    if (inside) {
      files.clear();
      std::istringstream words(line.substr(line.rfind(" | ") == line.npos ? 0 : line.rfind(" | ")));
      std::string between;
      while (std::getline(words, between, '`') && std::getline(words, between, '`')) {
        EXPECT_TRUE(exists(between)) << between;
        ++named;
      }
    }
    inside |= line.ends_with("| kept by |");
  }
  EXPECT_GE(named, 70);
}

}  // namespace
}  // namespace drover::run
