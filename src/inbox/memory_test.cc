#include "inbox/memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "inbox/limits.h"
#include "testing/clock.h"
#include "testing/directory.h"

namespace drover::inbox {
namespace {

namespace fs = std::filesystem;

class MemoryTest : public ::testing::Test {
 protected:
  static MemoryName name(std::string_view text) { return *MemoryName::parse(text); }
  std::string path(const std::string& file) const { return directory_.path() + "/memory/" + file; }
  void save(const std::string& file, std::string_view text) const {
    std::ofstream(path(file), std::ios::trunc) << text;
  }
  static std::string reason(const Result<Memory>& result) {
    return result ? "" : result.error().reason;
  }

  testing::TestDirectory directory_;
  testing::ManualClock clock_;
  Memories memories_{directory_.path(), clock_};
};

// A11: a memory is never absent; a change is read back, also by an editor, and the replaced text is
// in the history.
TEST_F(MemoryTest, IsReadAndWritten) {
  const MemoryName app = name("app/tidy");
  EXPECT_EQ(memories_.read(app)->text, "");
  const auto first = memories_.write(app, "# one\n", std::nullopt);
  ASSERT_TRUE(first) << first.error().message;
  clock_.advance_ms(1'000);
  ASSERT_TRUE(memories_.write(app, "# two\n", first->revision));
  EXPECT_EQ(memories_.read(app)->text, "# two\n");
  std::ifstream in(path("app/tidy.md"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "# two\n");
  const auto log = memories_.log(app);
  ASSERT_EQ(log->size(), 1U);
  EXPECT_EQ(log->front().replaced_at, clock_.wall_ms());
  EXPECT_EQ(memories_.read_version(app, log->front().version)->text, "# one\n");
  EXPECT_EQ(reason(memories_.read_version(app, "0-nothing")), "not_found");
  EXPECT_EQ(reason(memories_.read_version(app, "../../user")), "not_found");
  EXPECT_TRUE(memories_.write(name("user"), "me", std::nullopt));
  std::vector<std::string> names;
  for (const MemoryName& one : memories_.list()) names.push_back(one.text);
  EXPECT_EQ(names, (std::vector<std::string>{"app/tidy", "user"}));
}

// A change that was made from an older text is refused, whether a program or an editor has changed
// the file, in place or by a rename, and nothing is lost.
TEST_F(MemoryTest, AConcurrentChangeIsAConflict) {
  const MemoryName app = name("app/tidy");
  const std::string empty = memories_.read(app)->revision;
  ASSERT_TRUE(memories_.write(app, "one", empty));
  EXPECT_EQ(reason(memories_.write(app, "other", empty)), "memory_changed");
  const std::string one = memories_.read(app)->revision;
  save("app/tidy.md", "edited");
  EXPECT_EQ(reason(memories_.write(app, "two", one)), "memory_changed");
  save("app/aside", "renamed");
  fs::rename(path("app/aside"), path("app/tidy.md"));
  EXPECT_EQ(reason(memories_.write(app, "two", one)), "memory_changed");
  EXPECT_EQ(memories_.read(app)->text, "renamed");
  fs::remove(path("app/tidy.md"));
  EXPECT_EQ(reason(memories_.write(app, "two", one)), "memory_changed");
  EXPECT_TRUE(memories_.write(app, "two", empty));
}

// A text beyond the limit keeps its newest lines; the whole text is in the history, which is
// bounded.
TEST_F(MemoryTest, IsBounded) {
  const MemoryName user = name("user");
  std::string text = "first line\n";
  while (text.size() <= kMemoryBytesMax) text += std::string(99, 'x') + "\n";
  const auto written = memories_.write(user, text, std::nullopt);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_LE(written->text.size(), kMemoryBytesMax);
  EXPECT_TRUE(text.ends_with(written->text));
  EXPECT_EQ(written->text.front(), 'x');
  ASSERT_EQ(memories_.log(user)->size(), 1U);
  EXPECT_EQ(memories_.read_version(user, memories_.log(user)->front().version)->text, text);
  for (size_t i = 0; i < kMemoryVersionsKept + 5; ++i) {
    clock_.advance_ms(1);
    ASSERT_TRUE(memories_.write(user, std::to_string(i), std::nullopt));
  }
  EXPECT_EQ(memories_.log(user)->size(), kMemoryVersionsKept);
}

// No link is followed, neither of a file nor of a directory; a directory in the place of a file is
// an error.
TEST_F(MemoryTest, LinksAreRefused) {
  ASSERT_TRUE(memories_.write(name("app/tidy"), "x", std::nullopt));
  std::ofstream(directory_.file("secret")) << "secret";
  fs::create_symlink(directory_.file("secret"), path("app/link.md"));
  EXPECT_FALSE(memories_.read(name("app/link")));
  EXPECT_FALSE(memories_.write(name("app/link"), "x", std::nullopt));
  fs::create_directory(directory_.file("elsewhere"));
  fs::create_symlink(directory_.file("elsewhere"), path("space"));
  EXPECT_FALSE(memories_.write(name("space/x"), "x", std::nullopt));
  EXPECT_FALSE(fs::exists(directory_.file("elsewhere") + "/x.md"));
  fs::create_directory(path("app/directory.md"));
  EXPECT_EQ(reason(memories_.read(name("app/directory"))), "not_a_file");
  std::ifstream in(directory_.file("secret"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "secret");
}

}  // namespace
}  // namespace drover::inbox
