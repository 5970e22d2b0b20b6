#include "base/spool.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/fd.h"

namespace drover {
namespace {

class SpoolTest : public ::testing::Test {
 protected:
  SpoolTest() {
    home_.state = (std::filesystem::temp_directory_path() / "drover-spool-XXXXXX").string();
    if (::mkdtemp(home_.state.data()) == nullptr) throw std::runtime_error("no directory");
  }
  ~SpoolTest() override { (void)remove_tree(home_.state); }

  std::string path(const std::string& name) const { return spool_of(home_) + "/" + name; }

  Home home_;
  const RunId run_ = RunId::earliest(1'800'000'000'000);
};

// A message is a private file that is listed, read and removed; there is no other file beside it.
TEST_F(SpoolTest, KeepsAMessage) {
  EXPECT_TRUE(spooled(home_).empty());
  const SpoolName name{.run = run_, .key = "k-1"};
  ASSERT_TRUE(add_to_spool(home_, name, "hello"));
  struct stat found{};
  ASSERT_EQ(::stat(path(name.text()).c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
  ASSERT_EQ(::stat(spool_of(home_).c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700U);
  ASSERT_EQ(spooled(home_).size(), 1U);
  EXPECT_EQ(spooled(home_)[0].text(), name.text());
  EXPECT_EQ(*read_spooled(home_, name), "hello");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(spool_of(home_)), {}), 1);
  ASSERT_TRUE(add_to_spool(home_, name, "hello"));  // Again, after a crash of the writer.
  EXPECT_EQ(spooled(home_).size(), 1U);
  remove_spooled(home_, name);
  EXPECT_TRUE(spooled(home_).empty());
}

// Files whose names no program of ours gives are not messages.
TEST_F(SpoolTest, NamesAreChecked) {
  const std::string run = run_.str();
  EXPECT_EQ(SpoolName::parse(run + ".a1-b.json")->key, "a1-b");
  for (const std::string& bad :
       {std::string(), std::string(".json"), run + ".json", run + "..json", run + ".A.json",
        run + ".a", run + ".a/b.json", run + ".../x.json", std::string("run_x.a.json"),
        ".new." + run + ".a.json", run + "." + std::string(kSpoolKeyBytesMax + 1, 'a') + ".json"}) {
    EXPECT_FALSE(SpoolName::parse(bad)) << bad;
  }
}

// Links, directories and files that are too large are refused, not followed or cut.
TEST_F(SpoolTest, ReadsOnlyItsOwnFiles) {
  ASSERT_TRUE(add_to_spool(home_, {.run = run_, .key = "a"}, "x"));
  std::filesystem::create_symlink("/etc/hostname", path(run_.str() + ".link.json"));
  std::filesystem::create_directory(path(run_.str() + ".directory.json"));
  std::ofstream(path(run_.str() + ".large.json")) << std::string(kSpoolBytesMax + 1, 'x');
  ASSERT_EQ(spooled(home_).size(), 4U);
  for (const char* key : {"link", "directory", "large"}) {
    EXPECT_FALSE(read_spooled(home_, {.run = run_, .key = key})) << key;
  }
}

// The files of a run, and the size of each, are bounded.
TEST_F(SpoolTest, IsBounded) {
  EXPECT_EQ(add_to_spool(home_, {.run = run_, .key = "a"}, std::string(kSpoolBytesMax + 1, 'x'))
                .error()
                .reason,
            "spool_full");
  for (size_t i = 0; i < kSpoolPerRunMax; ++i) {
    ASSERT_TRUE(add_to_spool(home_, {.run = run_, .key = std::to_string(i)}, "x"));
  }
  EXPECT_EQ(add_to_spool(home_, {.run = run_, .key = "more"}, "x").error().reason, "spool_full");
  EXPECT_TRUE(add_to_spool(home_, {.run = RunId::earliest(1), .key = "a"}, "x"));
}

// An interrupted writer's file is not a message. It is removed, once it is old.
TEST_F(SpoolTest, RemovesWhatWasInterrupted) {
  ASSERT_TRUE(add_to_spool(home_, {.run = run_, .key = "a"}, "x"));
  const std::string young = path(".new." + run_.str() + ".b.json");
  const std::string old = path(".new." + run_.str() + ".c.json");
  std::ofstream(young) << "half";
  std::ofstream(old) << "half";
  std::filesystem::last_write_time(
      old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(spooled(home_).size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(young));
  EXPECT_FALSE(std::filesystem::exists(old));
}

}  // namespace
}  // namespace drover
