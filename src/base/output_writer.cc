#include <fcntl.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

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

Fd create(int folder, const Name& name) {
  return Fd(
      ::openat(folder, name.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
}

// Neighbours of one stream that arrive within this are one record: a line is often several writes.
constexpr WallMs kMergeMs = 10;
constexpr std::uint32_t kMergeBytesMax = 1 << 20;

}  // namespace

bool OutputWriter::open_segment(std::uint64_t number) {
  Fd data = create(folder_, segment_name("output", number));
  crash_point("output.created");
  Fd index = data ? create(folder_, segment_name("index", number)) : Fd();
  if (!index ||
      ::write(index.get(), &header_, sizeof header_) != static_cast<ssize_t>(sizeof header_)) {
    return false;  // Tried again with the next bytes.
  }
  crash_point("output.index_created");
  data_ = std::move(data);
  index_ = std::move(index);
  segment_ = number;
  room_ = number == 0 ? header_.head_bytes_max : header_.segment_bytes_max;
  records_ = 0;
  open_ = true;
  if (number > 2) {
    ::unlinkat(folder_, segment_name("output", number - 2).data(), 0);
    ::unlinkat(folder_, segment_name("index", number - 2).data(), 0);
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
  const bool full = records_ >= limits::kIndexRecordsMax;
  const bool merge =
      records_ > 0 && (full || (last_.stream == which && now - last_.wall_ms < kMergeMs &&
                                last_.length < kMergeBytesMax));
  if (merge && UINT32_MAX - last_.length >= length) {
    last_.length += length;
    if (last_.stream != which) last_.stream = static_cast<std::uint16_t>(Stream::both);
  } else {
    last_ = {.offset = offset_, .wall_ms = now, .length = length, .stream = which, .reserved = 0};
    ++records_;
  }
  const auto at = static_cast<off_t>(sizeof(IndexHeader) + (records_ - 1) * sizeof(IndexRecord));
  if (::pwrite(index_.get(), &last_, sizeof last_, at) == static_cast<ssize_t>(sizeof last_))
    return;
  // A full disk: leave no hole in the index. The bytes will be shown with the next record.
  if (!merge) --records_;
  last_.length = kMergeBytesMax;
}

}  // namespace drover
