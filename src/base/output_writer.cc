#include <fcntl.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/crash_point.h"
#include "base/limits.h"
#include "base/output_file.h"

namespace drover {
namespace {

using Name = std::array<char, 32>;

Name segment_name(const char* base, std::uint64_t number) {
  Name name{};
  if (number == 0) {
    std::snprintf(name.data(), name.size(), "%s", base);
  } else {
    std::snprintf(name.data(), name.size(), "%s.%llu", base,
                  static_cast<unsigned long long>(number));
  }
  return name;
}

// Never follows a link, and never blocks on a pipe.
Fd create(int directory, const Name& name) {
  constexpr int kHow = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  return Fd(::openat(directory, name.data(), kHow, 0600));
}

// Writes of one stream that arrive within this time become one record: a line is often several
// writes.
constexpr WallMs kMergeMs = 10;
constexpr std::uint32_t kMergeBytesMax = 1 << 20;

}  // namespace

bool OutputWriter::open_segment(std::uint64_t number) {
  Fd data = create(directory_, segment_name("output", number));
  crash_point("output.created");
  Fd index = data ? create(directory_, segment_name("index", number)) : Fd();
  if (!index ||
      ::write(index.get(), &header_, sizeof header_) != static_cast<ssize_t>(sizeof header_)) {
    return false;  // The next bytes try again.
  }
  crash_point("output.index_created");
  if (number == 0) has_head_ = true;
  if (!has_head_ && !make_head()) return false;
  data_ = std::move(data);
  index_ = std::move(index);
  segment_ = number;
  records_ = 0;
  remove_old_segments();
  return true;
}

// The whole head was lost on a full disk. Readers find the tail through the head, so it gets one
// without records.
bool OutputWriter::make_head() {
  const Fd data = create(directory_, segment_name("output", 0));
  if (!data || ::ftruncate(data.get(), static_cast<off_t>(header_.head_bytes_max)) != 0) {
    return false;
  }
  const Fd index = create(directory_, segment_name("index", 0));
  has_head_ = index && ::write(index.get(), &header_, sizeof header_) ==
                           static_cast<ssize_t>(sizeof header_);
  return has_head_;
}

// Always the newest two stay. Older ones stay until the exact reader has read them.
void OutputWriter::remove_old_segments() {
  while (oldest_ + 1 < segment_ && (!has_reader_ || header_.end_of(oldest_) <= read_to_)) {
    ::unlinkat(directory_, segment_name("output", oldest_).data(), 0);
    ::unlinkat(directory_, segment_name("index", oldest_).data(), 0);
    ++oldest_;
  }
}

std::uint64_t OutputWriter::room() const {
  if (!has_reader_) return UINT64_MAX;
  // The first segment that has to stay, however much is appended.
  const std::uint64_t first = std::max(oldest_, header_.number_of(read_to_));
  const std::uint64_t end =
      header_.end_of(first + 1) + limits::kOutputReserveBytes * reserve_times_;
  return end - std::min(offset_, end);
}

void OutputWriter::was_read_to(std::uint64_t offset) {
  has_reader_ = true;
  read_to_ = std::max(read_to_, offset);
  remove_old_segments();
}

void OutputWriter::forget_reader() {
  has_reader_ = false;
  remove_old_segments();
}

void OutputWriter::finish() {
  if (has_reader_ || !header_.is_wide() || segment_ == 0) return;
  data_.close();
  index_.close();
  // The last part must not be a link.
  remove_reserve("/proc/self/fd/" + std::to_string(directory_) + "/.");
}

std::uint64_t OutputWriter::not_kept() const {
  if (offset_ == 0) return 0;
  if (header_.is_wide()) {
    const std::uint64_t tail = offset_ - std::min(offset_, header_.head_bytes_max);
    const std::uint64_t kept = std::min(tail, header_.head_bytes_max);
    const std::uint64_t lost = before_lost_ + lost_ + unrecorded_;
    if (tail == 0) return lost;
    return tail - kept + head_lost_ + std::min(lost, kept);
  }
  const std::uint64_t here = header_.number_of(offset_ - 1);
  const std::uint64_t rotated = here > 2 ? (here - 2) * header_.segment_bytes_max : 0;
  return rotated + head_lost_ + before_lost_ + lost_ + unrecorded_;
}

// The bytes leave a hole in the file, and no record covers it.
void OutputWriter::drop(std::uint64_t bytes) {
  lost_ += bytes + std::exchange(unrecorded_, 0);
  const bool is_open = data_ && header_.number_of(offset_) == segment_;
  offset_ += bytes;
  if (!is_open) return;
  // The size shows how far the output has come. If even that fails, the next bytes show it.
  (void)::ftruncate(data_.get(), static_cast<off_t>(offset_ - header_.begin_of(segment_)));
}

// The number of the segment that the next byte belongs to.
std::uint64_t OutputWriter::begin_segment() {
  const std::uint64_t number = header_.number_of(offset_);
  if (number != segment_ && offset_ == header_.begin_of(number)) {
    lost_ += std::exchange(unrecorded_, 0);
    (number == 1 ? head_lost_ : before_lost_) = std::exchange(lost_, 0);
  }
  return number;
}

void OutputWriter::lose(std::uint64_t bytes) {
  while (bytes > 0) {
    const std::uint64_t number = begin_segment();
    const std::uint64_t here = std::min(bytes, header_.end_of(number) - offset_);
    drop(here);
    bytes -= here;
  }
}

void OutputWriter::append(Stream stream, std::string_view bytes, WallMs now) {
  while (!bytes.empty()) {
    const std::uint64_t number = begin_segment();
    const size_t want = std::min<std::uint64_t>(bytes.size(), header_.end_of(number) - offset_);
    const bool open = (data_ && segment_ == number) || open_segment(number);
    const auto at = static_cast<off_t>(offset_ - header_.begin_of(number));
    const ssize_t n = open ? ::pwrite(data_.get(), bytes.data(), want, at) : -1;
    if (open && n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      drop(want);
      bytes.remove_prefix(want);
      continue;
    }
    crash_point("output.written");
    note(stream, static_cast<std::uint32_t>(n), now);
    crash_point("output.indexed");
    offset_ += static_cast<std::uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void OutputWriter::note(Stream stream, std::uint32_t length, WallMs now) {
  const auto which = static_cast<std::uint16_t>(stream);
  constexpr auto kBoth = static_cast<std::uint16_t>(Stream::both);
  const std::uint64_t grown = offset_ + length - last_.offset;
  const bool adjoins =
      records_ > 0 && last_.offset + last_.length + unrecorded_ == offset_ && grown <= UINT32_MAX;
  const bool full = records_ >= limits::kIndexRecordsMax;
  const bool merge =
      adjoins && (full || (last_.stream == which && unrecorded_ == 0 &&
                           now - last_.wall_ms < kMergeMs && last_.length < kMergeBytesMax));
  IndexRecord record = last_;
  if (merge) {
    record.length = static_cast<std::uint32_t>(grown);
    if (record.stream != which) record.stream = kBoth;
  } else {
    record = {.offset = offset_ - unrecorded_,
              .wall_ms = now,
              .length = static_cast<std::uint32_t>(unrecorded_ + length),
              .stream = unrecorded_ > 0 ? kBoth : which,
              .reserved = 0};
  }
  const std::uint32_t place = merge ? records_ - 1 : records_;
  const auto at = static_cast<off_t>(sizeof(IndexHeader) + place * sizeof record);
  if (::pwrite(index_.get(), &record, sizeof record, at) != static_cast<ssize_t>(sizeof record)) {
    unrecorded_ += length;  // A full disk. The next record covers them, if one can be written.
    return;
  }
  last_ = record;
  records_ = place + 1;
  unrecorded_ = 0;
}

}  // namespace drover
