// Triggers on files, with the real programs: a change fires once, whatever dies in between.
#include <gtest/gtest.h>

#include <algorithm>

#include "testing/until.h"
#include "tests/triggers/trigger_fixture.h"

namespace drover::tests {
namespace {

class FileStory : public TriggerStory {
 protected:
  FileStory() { std::filesystem::create_directories(root_); }

  void watch(const std::string& name, std::vector<std::string> options) {
    options.insert(options.begin(), {"--root", root_});
    add(name, std::move(options), "echo \"$DROVER_TRIGGER\"");
    // Until the first snapshot is stored: files that exist now are not changes.
    EXPECT_TRUE(testing::becomes_true([&] {
      return flock_.ok({"events", "--json"}).find("trigger.watched") != std::string::npos;
    }));
  }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path) << text;
  }
  // The event that the run of an occurrence got.
  std::string trigger_variable_of(const boost::json::object& row) {
    const std::string run = text_of(row, "run_id");
    flock_.ended(run);
    return flock_.ok({"logs", run});
  }

  const std::string root_ = flock_.file("watched");
};

// A7: a file that matches fires, one that does not match or is ignored does not, however deep it
// is.
TEST_F(FileStory, AMatchingFileFires) {
  write("old.txt", "old");
  watch("drop", {"--file", "**/*.txt", "--ignore", "skip*"});
  write("skip.txt", "no");
  write("a/b/c.md", "no");
  write("a/b/c.txt", "yes");
  const std::string event = trigger_variable_of(fired("drop"));
  EXPECT_NE(event.find(R"("path":"a/b/c.txt")"), std::string::npos) << event;
  EXPECT_EQ(event.find("skip.txt"), std::string::npos) << event;
  EXPECT_EQ(event.find("old.txt"), std::string::npos) << event;
  EXPECT_EQ(entries("drop").size(), 1U);
}

// A7: changes that are made while no daemon runs are found by the stored snapshot, and fire once.
TEST_F(FileStory, ChangesWhileTheDaemonIsAwayAreFound) {
  write("old.txt", "old");
  watch("drop", {"--file", "*.txt"});
  flock_.kill_daemon();
  write("new.txt", "new");
  std::filesystem::remove(root_ + "/old.txt");
  flock_.daemon();
  const std::string event = trigger_variable_of(fired("drop"));
  EXPECT_NE(event.find(R"("kind":"created","path":"new.txt")"), std::string::npos) << event;
  EXPECT_NE(event.find(R"("kind":"deleted","path":"old.txt")"), std::string::npos) << event;
  flock_.kill_daemon();
  flock_.daemon();
  write("last.txt", "last");
  // An entry is pending until its run is submitted.
  const auto both_fired = [&] {
    const auto rows = entries("drop");
    return rows.size() >= 2 && std::ranges::all_of(rows, [](const auto& row) {
             return text_of(row.as_object(), "outcome") == "fired";
           });
  };
  while (!both_fired()) {
  }
  ASSERT_EQ(entries("drop").size(), 2U);
  // The newest entry is of the newest file alone: the earlier changes do not fire again.
  const std::string last = trigger_variable_of(fired("drop"));
  EXPECT_NE(last.find(R"("path":"last.txt")"), std::string::npos) << last;
  EXPECT_EQ(last.find("new.txt"), std::string::npos) << last;
  EXPECT_EQ(last.find("old.txt"), std::string::npos) << last;
  flock_.expect_verified();
}

// A glob that leaves its root is refused.
TEST_F(FileStory, BadGlobsAreRefused) {
  for (const char* glob : {"../x", "/etc/*", "a[b", "{a"}) {
    const Output output = flock_.drover({"trigger", "add", "bad", "--file", glob, "--", "true"});
    EXPECT_EQ(output.code, 2) << glob << output.err;
  }
}

}  // namespace
}  // namespace drover::tests
