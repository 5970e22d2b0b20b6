// Fuzzes journals. If the first byte is odd, the others are a file as found on a disk. Otherwise
// they are the contents of its records, with correct checksums, as a process of the same user can
// write them. A record that is read is the one that was written, byte by byte; and whatever it
// says, the end of the run can be recorded.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "base/journal.h"
#include "dispatch/ending/endings.h"
#include "tests/fuzz/recordable.h"

namespace drover {
namespace {

// Takes records from the front of the input, then zeros.
class Source {
 public:
  explicit Source(std::string_view bytes) : bytes_(bytes) {}
  bool is_next() { return take<char>() % 2 != 0; }
  template <class Record>
  Record take() {
    Record record{};
    const size_t size = std::min(bytes_.size(), sizeof record);
    std::memcpy(static_cast<void*>(&record), bytes_.data(), size);
    bytes_.remove_prefix(size);
    return record;
  }

 private:
  std::string_view bytes_;
};

template <class Record>
void expect_same(const std::optional<Record>& read, const std::optional<Record>& written) {
  if (read.has_value() != written.has_value()) std::abort();
  if (read && std::memcmp(&*read, &*written, sizeof *read) != 0) std::abort();
}

JournalText records_in(Source source) {
  JournalText text{};
  if (source.is_next()) text.identity = source.take<IdentityRecord>();
  if (source.is_next()) text.terminal = source.take<TerminalRecord>();
  if (source.is_next()) {
    text.started = source.take<StartedRecord>();
    text.marks = source.take<MarksRecord>();
  }
  if (source.is_next()) text.status = source.take<StatusRecord>();
  if (source.is_next()) text.usage = source.take<UsageRecord>();
  if (source.is_next()) text.ending = source.take<EndingRecord>();
  return text;
}

void write(int journal, const JournalText& text) {
  const bool written = (!text.identity || write_record(journal, *text.identity)) &&
                       (!text.terminal || write_record(journal, *text.terminal)) &&
                       (!text.started || write_start(journal, *text.started, *text.marks)) &&
                       (!text.status || write_record(journal, *text.status)) &&
                       (!text.usage || write_record(journal, *text.usage)) &&
                       (!text.ending || write_record(journal, *text.ending));
  if (!written) std::abort();
}

void expect_same(const JournalText& read, const JournalText& written) {
  expect_same(read.identity, written.identity);
  expect_same(read.terminal, written.terminal);
  expect_same(read.started, written.started);
  expect_same(read.marks, written.marks);
  expect_same(read.status, written.status);
  expect_same(read.usage, written.usage);
  expect_same(read.ending, written.ending);
}

}  // namespace
}  // namespace drover

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  using namespace drover;
  static const Fd journal(::memfd_create("journal", MFD_CLOEXEC));
  if (size == 0 || ::ftruncate(journal.get(), 0) != 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  JournalText text{};
  if (data[0] % 2 != 0) {
    if (::pwrite(journal.get(), bytes.data(), bytes.size(), 0) < 0) std::abort();
    text = read_journal(journal.get());
  } else {
    JournalText written = records_in(Source(bytes));
    write(journal.get(), written);
    text = read_journal(journal.get());
    // Whatever was written, it ends.
    if (written.identity) written.identity->boot_id[sizeof written.identity->boot_id - 1] = '\0';
    expect_same(text, written);
  }
  fuzz::expect_recordable(dispatch::ended_from_journal(fuzz::kRun, text, "this boot", "make", "/"));
  return 0;
}
