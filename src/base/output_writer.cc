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
  data_ = std::move(data);
  index_ = std::move(index);
  segment_ = number;
  room_ = number == 0 ? header_.head_bytes_max : header_.segment_bytes_max;
  records_ = 0;
  dropped_ += std::exchange(unrecorded_, 0);
  open_ = true;
  if (number > 2) {
    ::unlinkat(directory_, segment_name("output", number - 2).data(), 0);
    ::unlinkat(directory_, segment_name("index", number - 2).data(), 0);
  }
  return true;
}

void OutputWriter::append(Stream stream, std::string_view bytes, WallMs now) {
  while (!bytes.empty()) {
    if ((!open_ || room_ == 0) && !open_segment(open_ ? segment_ + 1 : 0)) break;
    const size_t want = std::min<std::uint64_t>(bytes.size(), room_);
    const ssize_t n = ::write(data_.get(), bytes.data(), want);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    crash_point("output.written");
    note(stream, static_cast<std::uint32_t>(n), now);
    crash_point("output.indexed");
    offset_ += static_cast<std::uint64_t>(n);
    room_ -= static_cast<std::uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  dropped_ += bytes.size();
}

void OutputWriter::note(Stream stream, std::uint32_t length, WallMs now) {
  const auto which = static_cast<std::uint16_t>(stream);
  constexpr auto kBoth = static_cast<std::uint16_t>(Stream::both);
  const std::uint64_t grown = offset_ + length - last_.offset;
  const bool full = records_ >= limits::kIndexRecordsMax;
  const bool merge = records_ > 0 && grown <= UINT32_MAX &&
                     (full || (last_.stream == which && unrecorded_ == 0 &&
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
