// docs/keeper-files.md shows files that a real keeper wrote. They are read here as if found on a
// disk: so the document is right, and files of version 1 can still be read.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/journal.h"
#include "base/output_file.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

// The bytes of the first dump (as of `hexdump -C`) below a heading of the document.
std::string dump_below(const std::string& heading) {
  const auto document = read_file(std::string(DROVER_DOCS) + "/keeper-files.md", 1 << 20);
  EXPECT_TRUE(document) << document.error().message;
  std::istringstream lines(document->substr(document->find("\n## " + heading)));
  std::string bytes;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "```" && inside) break;
    if (line == "```") inside = true;
    if (!inside || line.size() < 8 || line.front() != '0') continue;
    bytes.resize(std::stoul(line.substr(0, 8), nullptr, 16));  // "*" stands for zeros.
    std::istringstream digits(line.substr(8, std::min(line.find('|'), line.size()) - 8));
    for (std::string byte; digits >> byte;) {
      bytes += static_cast<char>(std::stoi(byte, nullptr, 16));
    }
  }
  return bytes;
}

class KeeperFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "drover-files-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory = name;
  }
  void TearDown() override { fs::remove_all(directory); }

  std::string directory;
};

// The journal of the document: who the keeper was, that the command exited with 3, and the receipt.
TEST_F(KeeperFiles, TheDocumentsJournalIsRead) {
  ASSERT_TRUE(replace_file(directory + "/1.run", dump_below("The journal")));
  const auto journal = read_journal_state(directory + "/1.run");
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->liveness, Liveness::dead);
  const JournalText& text = journal->text;
  ASSERT_TRUE(text.identity && text.started && text.status && text.ending);
  EXPECT_EQ(text.identity->keeper.pid, 29212);
  EXPECT_NE(text.identity->keeper.start_ticks, 0U);
  EXPECT_STREQ(text.identity->boot_id, "0828e581-dc27-4523-8a8b-fe992b0daeb0");
  EXPECT_EQ(text.started->command.pid, 29213);
  EXPECT_EQ(text.status->exited, 1);
  EXPECT_EQ(text.status->exit_code, 3);
  EXPECT_EQ(text.status->cause, StopCause::none);
  EXPECT_EQ(text.status->wall_ms - text.started->wall_ms, 58);
  EXPECT_EQ(text.ending->status.exit_code, 3);
  EXPECT_EQ(text.ending->stdout_bytes, 6U);
  EXPECT_EQ(text.ending->stderr_bytes, 5U);
  EXPECT_EQ(text.ending->drained, 1U);
  EXPECT_EQ(text.ending->dropped_bytes, 0U);
  EXPECT_EQ(text.ending->signaled, 0U);
}

// R11: the document's index separates its output by stream.
TEST_F(KeeperFiles, TheDocumentsIndexIsRead) {
  ASSERT_TRUE(replace_file(directory + "/output", "hello\noops\n"));
  ASSERT_TRUE(replace_file(directory + "/index", dump_below("output, index")));
  OutputReader reader(directory);
  EXPECT_EQ(reader.size().value_or(0), 11U);
  std::uint64_t next = 0;
  const auto pieces = reader.read(0, 100, Stream::both, &next);
  ASSERT_TRUE(pieces);
  ASSERT_EQ(pieces->size(), 2U);
  EXPECT_EQ(next, 11U);
  EXPECT_EQ(pieces->at(0).bytes, "hello\n");
  EXPECT_EQ(pieces->at(0).stream, Stream::out);
  EXPECT_EQ(pieces->at(1).bytes, "oops\n");
  EXPECT_EQ(pieces->at(1).stream, Stream::err);
  EXPECT_EQ(pieces->at(1).offset, 6U);
}

}  // namespace
}  // namespace drover
