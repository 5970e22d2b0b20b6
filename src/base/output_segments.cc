#include "base/output_segments.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace drover {
namespace {

// For files that a keeper would not write. They are not repaired: a person should look.
std::unexpected<Error> unreadable(const std::string& what) {
  return fail(ErrorCode::corrupt, "output_unreadable",
              what +
                  " is damaged: something other than the keeper has changed it; the rest of the "
                  "run is not affected");
}

Result<std::uint64_t> file_size(const Fd& fd) {
  struct stat st{};
  if (::fstat(fd.get(), &st) != 0) return fail_errno("cannot stat an output file", errno);
  if (!S_ISREG(st.st_mode)) return unreadable("an output file");
  return static_cast<std::uint64_t>(st.st_size);
}

// Never follows a link, and never blocks on a pipe.
Fd open_file(int directory, const std::string& name) {
  return Fd(::openat(directory, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

// The number in "index.7"; 0: it has none.
std::uint64_t tail_number(std::string_view name) {
  if (!name.starts_with("index.")) return 0;
  name.remove_prefix(6);
  std::uint32_t number = 0;
  const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), number);
  return bad == std::errc{} && end == name.data() + name.size() ? number : 0;
}

// Appends the numbers of the existing tail segments, in order.
void list_tail(int directory, std::vector<std::uint64_t>& numbers) {
  const auto first = static_cast<std::ptrdiff_t>(numbers.size());
  Fd listed(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (DIR* dir = ::fdopendir(listed.get()); dir != nullptr) {
    (void)listed.release();  // The DIR owns it now.
    while (const dirent* entry = ::readdir(dir)) {
      if (const std::uint64_t number = tail_number(entry->d_name); number != 0) {
        numbers.push_back(number);
      }
    }
    ::closedir(dir);
  }
  std::sort(numbers.begin() + first, numbers.end());
  // While files are created and removed, a listing may omit some that exist. Segments are removed
  // in order, so those between two that exist do exist.
  if (numbers.size() < static_cast<size_t>(first) + 2) return;
  const std::uint64_t begin = numbers[static_cast<size_t>(first)];
  const std::uint64_t end = numbers.back();
  numbers.resize(static_cast<size_t>(first));
  for (std::uint64_t number = begin; number <= end; ++number) numbers.push_back(number);
}

Result<> measure(OutputSegments::Segment& segment) {
  const auto index_size = file_size(segment.index);
  if (!index_size) return std::unexpected(index_size.error());
  const auto data_size = file_size(segment.data);
  if (!data_size) return std::unexpected(data_size.error());
  segment.size = *data_size;
  segment.records = *index_size < sizeof(IndexHeader)
                        ? 0
                        : (*index_size - sizeof(IndexHeader)) / sizeof(IndexRecord);
  return {};
}

constexpr std::uint64_t kSegmentBytesMax = std::uint64_t{1} << 48;  // Larger than any disk.
bool is_plausible(const IndexHeader& header) {
  return header.magic == IndexHeader{}.magic && header.segment_bytes_max > 0 &&
         header.segment_bytes_max <= kSegmentBytesMax && header.head_bytes_max <= kSegmentBytesMax;
}

// A segment of the tail is cut by replacing its index, then its data. An index that is still there
// after its data was opened belongs to it.
bool was_replaced(const Fd& index) {
  struct stat st{};
  return ::fstat(index.get(), &st) == 0 && st.st_nlink == 0;
}

std::string suffix_of(std::uint64_t number) {
  return number == 0 ? "" : "." + std::to_string(number);
}

}  // namespace

// False: nothing printed yet, or just rotated away.
Result<bool> OutputSegments::open_files(Segment& segment) const {
  const std::string suffix = suffix_of(segment.number);
  do {
    segment.index = open_file(directory_.get(), "index" + suffix);
    if (segment.index) segment.data = open_file(directory_.get(), "output" + suffix);
  } while (segment.number != 0 && segment.index && segment.data && was_replaced(segment.index));
  if (segment.index && segment.data) return true;
  const int error = errno;
  segment.index.close();
  segment.data.close();
  if (error == ENOENT) return false;
  if (error == ELOOP) return unreadable(path_ + "/output" + suffix);
  return fail_errno("cannot open the output in " + path_, error);
}

Result<> OutputSegments::open_directory() {
  directory_ = Fd(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (directory_ || errno == ENOENT) return {};
  if (errno == ENOTDIR || errno == ELOOP) return unreadable(path_);
  return fail_errno("cannot open " + path_, errno);
}

Result<> OutputSegments::open_head() {
  if (!directory_) {
    if (auto ok = open_directory(); !ok || !directory_) return ok;
  }
  const auto opened = open_files(head_);
  if (!opened) return std::unexpected(opened.error());
  if (!*opened) return {};
  const ssize_t n = ::pread(head_.index.get(), &header_, sizeof header_, 0);
  if (n == static_cast<ssize_t>(sizeof header_) && is_plausible(header_)) return {};
  head_ = {};
  if (n >= 0 && n < static_cast<ssize_t>(sizeof header_)) return {};  // It is just being written.
  return unreadable(path_ + "/index");
}

Result<> OutputSegments::refresh() {
  numbers_.clear();
  if (!head_.data) {
    if (auto ok = open_head(); !ok || !head_.data) return ok;
  }
  numbers_.push_back(0);
  if (auto ok = measure(head_); !ok) return ok;
  // A head below its maximum has no tail yet. One exception: if the disk did not even take the hole
  // that ends the head (OutputWriter::drop), the tail is not found, and size() is too small.
  if (head_.size >= header_.head_bytes_max) list_tail(directory_.get(), numbers_);
  return {};
}

Result<const OutputSegments::Segment*> OutputSegments::open(std::uint64_t number) {
  Segment& segment = number == 0 ? head_ : tail_;
  if (segment.number != number || !segment.data) {
    segment = {.number = number, .begin = header_.begin_of(number)};
    const auto opened = open_files(segment);
    if (!opened) return std::unexpected(opened.error());
    if (!*opened) return nullptr;
  }
  if (auto ok = measure(segment); !ok) return std::unexpected(ok.error());
  return &segment;
}

Result<IndexRecord> OutputSegments::record(const Segment& s, std::uint64_t i) const {
  IndexRecord r;
  const auto at = static_cast<off_t>(sizeof(IndexHeader) + i * sizeof r);
  // Of a finished run, a record may name bytes that a power cut lost: readers report a gap.
  if (::pread(s.index.get(), &r, sizeof r, at) != static_cast<ssize_t>(sizeof r) ||
      r.offset < s.begin || r.offset > header_.end_of(s.number)) {
    return unreadable(path_ + "/index");
  }
  return r;
}

Result<std::string> OutputSegments::bytes(const Segment& s, std::uint64_t offset,
                                          size_t length) const {
  std::string text(length, '\0');
  const ssize_t n =
      ::pread(s.data.get(), text.data(), length, static_cast<off_t>(offset - s.begin));
  if (n < 0) return fail_errno("cannot read the output in " + path_, errno);
  text.resize(static_cast<size_t>(n));
  return text;
}

Result<std::uint64_t> OutputSegments::find(const Segment& s, std::uint64_t offset) const {
  std::uint64_t low = 0;
  std::uint64_t high = s.records;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    const auto r = record(s, middle);
    if (!r) return std::unexpected(r.error());
    if (r->offset + r->length <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace drover
