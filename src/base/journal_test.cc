#include "base/journal.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace drover {
namespace {

namespace fs = std::filesystem;

class Journal : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "drover-journal-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory = name;
    journal = Fd(::open(path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  }
  void TearDown() override { fs::remove_all(directory); }

  std::string path() const { return directory + "/1.run"; }

  std::string directory;
  Fd journal;
};

IdentityRecord identity() {
  IdentityRecord record;
  std::strcpy(record.boot_id, "f2b1f6a2-6f0a-4c52-9e0f-0d6f4f0c7b11");
  record.keeper = {.pid = 4711, .start_ticks = 123456};
  return record;
}
StartedRecord started() {
  return {
      .command = {.pid = 4712, .start_ticks = 123457}, .wall_ms = 1'794'736'705'123, .mono_ns = 42};
}
StatusRecord status() {
  return {.exited = 1, .exit_code = 3, .cause = StopCause::cancel, .wall_ms = 5, .mono_ns = 6};
}
EndingRecord ending() {
  EndingRecord record;
  record.status = status();
  record.stdout_bytes = 10;
  record.survivors = 1;
  record.survivor_names[0].pid = 99;
  return record;
}

MarksRecord marks() {
  return {.output = {11, 12},
          .device = 13,
          .made_ns = 14,
          .first_ticks = 15,
          .last_ticks = 16,
          .forks = 17,
          .cgroup = 18};
}

void write_all_records(int journal) {
  ASSERT_TRUE(write_record(journal, identity()));
  ASSERT_TRUE(write_start(journal, started(), marks()));
  ASSERT_TRUE(write_record(journal, status()));
  ASSERT_TRUE(write_record(journal, ending()));
}

template <class Record>
bool same(const std::optional<Record>& read, const Record& written) {
  return read && std::memcmp(&*read, &written, sizeof written) == 0;
}

// The offsets from docs/keeper-files.md: 8 bytes of checksum, then the record.
struct Place {
  size_t at;
  size_t size;
  bool has(size_t byte) const { return byte >= at && byte < at + size; }
  bool within(size_t file_size) const { return at + size <= file_size; }
};
constexpr Place kIdentity{0, 8 + sizeof(IdentityRecord)};
constexpr Place kStarted{128, 8 + sizeof(StartedRecord)};
constexpr Place kMarks{168, 8 + sizeof(MarksRecord)};
constexpr Place kStatus{256, 8 + sizeof(StatusRecord)};
constexpr Place kEnding{384, 8 + sizeof(EndingRecord)};

// Written records are read back; others are absent.
TEST_F(Journal, RecordsRoundTrip) {
  JournalText text = read_journal(journal.get());
  EXPECT_FALSE(text.identity || text.started || text.status || text.ending);
  ASSERT_TRUE(write_record(journal.get(), status()));
  text = read_journal(journal.get());
  EXPECT_TRUE(same(text.status, status()));
  EXPECT_FALSE(text.identity || text.started || text.ending);
  write_all_records(journal.get());
  text = read_journal(journal.get());
  EXPECT_TRUE(same(text.identity, identity()));
  EXPECT_TRUE(same(text.started, started()));
  EXPECT_TRUE(same(text.marks, marks()));
  EXPECT_TRUE(same(text.status, status()));
  EXPECT_TRUE(same(text.ending, ending()));
}

// Any process of this user can write a record with a correct checksum. If a text in it has no end,
// the reader ends it.
TEST_F(Journal, AnIdentityIsATextThatEnds) {
  IdentityRecord endless = identity();
  std::memset(endless.boot_id, 'x', sizeof endless.boot_id);
  ASSERT_TRUE(write_record(journal.get(), endless));
  const JournalText text = read_journal(journal.get());
  ASSERT_TRUE(text.identity);
  EXPECT_EQ(std::strlen(text.identity->boot_id), sizeof endless.boot_id - 1);
}

// A torn record is ignored and affects no other: flip each byte of the file in turn.
TEST_F(Journal, AnyFlippedByteVoidsItsRecordOnly) {
  write_all_records(journal.get());
  const size_t size = fs::file_size(path());
  for (size_t i = 0; i < size; ++i) {
    char byte = 0;
    const auto at = static_cast<off_t>(i);
    ASSERT_EQ(::pread(journal.get(), &byte, 1, at), 1);
    for (const int bit : {0, 7}) {
      const char flipped = static_cast<char>(byte ^ (1 << bit));
      ASSERT_EQ(::pwrite(journal.get(), &flipped, 1, at), 1);
      const JournalText text = read_journal(journal.get());
      ASSERT_EQ(text.identity.has_value(), !kIdentity.has(i)) << i;
      ASSERT_EQ(text.started.has_value(), !kStarted.has(i)) << i;
      ASSERT_EQ(text.marks.has_value(), !kMarks.has(i)) << i;
      ASSERT_EQ(text.status.has_value(), !kStatus.has(i)) << i;
      ASSERT_EQ(text.ending.has_value(), !kEnding.has(i)) << i;
    }
    ASSERT_EQ(::pwrite(journal.get(), &byte, 1, at), 1);
  }
}

// A truncated file contains the records that are complete, at every length.
TEST_F(Journal, ATruncatedFileKeepsCompleteRecords) {
  write_all_records(journal.get());
  for (size_t size = fs::file_size(path()); size-- > 0;) {
    ASSERT_EQ(::ftruncate(journal.get(), static_cast<off_t>(size)), 0);
    const JournalText text = read_journal(journal.get());
    ASSERT_EQ(text.identity.has_value(), kIdentity.within(size)) << size;
    ASSERT_EQ(text.started.has_value(), kStarted.within(size)) << size;
    ASSERT_EQ(text.marks.has_value(), kMarks.within(size)) << size;
    ASSERT_EQ(text.status.has_value(), kStatus.within(size)) << size;
    ASSERT_EQ(text.ending.has_value(), kEnding.within(size)) << size;
  }
}

// A record counts only at its own offset: the bytes of one kind are never read as another.
TEST_F(Journal, IgnoresARecordAtAnotherOffset) {
  ASSERT_TRUE(write_record(journal.get(), status()));
  std::vector<char> slot(kStatus.size);
  ASSERT_EQ(::pread(journal.get(), slot.data(), slot.size(), kStatus.at),
            static_cast<ssize_t>(slot.size()));
  ASSERT_EQ(::pwrite(journal.get(), slot.data(), slot.size(), kEnding.at),
            static_cast<ssize_t>(slot.size()));
  ASSERT_EQ(::pwrite(journal.get(), slot.data(), slot.size(), kStarted.at),
            static_cast<ssize_t>(slot.size()));
  const JournalText text = read_journal(journal.get());
  EXPECT_TRUE(text.status);
  EXPECT_FALSE(text.started || text.ending);
}

// The format is a promise: a newer daemon reads an older keeper's file. A change of these numbers
// needs a new version.
TEST_F(Journal, TheLayoutIsVersionOne) {
  EXPECT_EQ(sizeof(IdentityRecord), 56U);
  EXPECT_EQ(sizeof(StartedRecord), 32U);
  EXPECT_EQ(sizeof(MarksRecord), 80U);
  EXPECT_EQ(offsetof(MarksRecord, first_ticks), 32U);
  EXPECT_EQ(offsetof(MarksRecord, cgroup), 56U);
  EXPECT_EQ(sizeof(StatusRecord), 48U);
  EXPECT_EQ(sizeof(EndingRecord), 512U);
  EXPECT_EQ(offsetof(StatusRecord, cause), 24U);
  EXPECT_EQ(offsetof(EndingRecord, stdout_bytes), 48U);
  EXPECT_EQ(offsetof(EndingRecord, signaled), 104U);
  EXPECT_EQ(offsetof(EndingRecord, killed_names), 120U);
  write_all_records(journal.get());
  std::uint64_t sum = 0;
  ASSERT_EQ(::pread(journal.get(), &sum, sizeof sum, kStatus.at), 8);
  EXPECT_EQ(sum, 16'466'272'252'564'107'733ULL);
}

// The start is the same with and without the marks: a keeper of an older release wrote it alone.
TEST_F(Journal, TheStartIsTheSameWithoutMarks) {
  ASSERT_TRUE(write_record(journal.get(), started()));
  const std::string alone = read_file(path(), kJournalBytes).value_or("");
  EXPECT_FALSE(read_journal(journal.get()).marks);
  ASSERT_TRUE(write_start(journal.get(), started(), marks()));
  const std::string both = read_file(path(), kJournalBytes).value_or("");
  EXPECT_EQ(alone.size(), kStarted.at + kStarted.size);
  EXPECT_EQ(both.substr(0, alone.size()), alone);
}

// A failed write is an error, and leaves no record.
TEST_F(Journal, AFailedWriteIsAnError) {
  const Fd closed(::open("/dev/full", O_RDWR | O_CLOEXEC));
  const auto written = write_record(closed.get(), status());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().reason, "disk_full");
}

// H6: every step has a readable name, and an unknown one does not break the reader.
TEST(LaunchSteps, HaveNames) {
  EXPECT_EQ(name(LaunchStep::none), "none");
  EXPECT_EQ(name(LaunchStep::stdin_), "stdin");
  EXPECT_EQ(name(LaunchStep::exec), "exec");
  EXPECT_EQ(name(kLastLaunchStep), "lock");
  EXPECT_EQ(name(static_cast<LaunchStep>(99)), "unknown");
}

}  // namespace
}  // namespace drover
