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

// A reserve has far fewer segments. A file with a large number must not cost memory.
constexpr std::uint64_t kListedMax = 4'096;

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
  if (end - begin > kListedMax) return;  // Somebody has changed the directory.
  numbers.resize(static_cast<size_t>(first));
  for (std::uint64_t number = begin; number <= end; ++number) numbers.push_back(number);
}

// A file that is too long must not offer bytes at the offsets of the next segment.
Result<> measure(OutputSegments::Segment& segment, std::uint64_t bytes_max) {
  const auto index_size = file_size(segment.index);
  if (!index_size) return std::unexpected(index_size.error());
  const auto data_size = file_size(segment.data);
  if (!data_size) return std::unexpected(data_size.error());
  segment.size = std::min(*data_size, bytes_max);
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

constexpr std::uint64_t kBlockRecords = 256;  // 6 KB.
constexpr std::uint64_t kWindowBytes = 64 << 10;
constexpr size_t kWindowedBytesMax = 4 << 10;  // More than this is worth a call of its own.

off_t place_of(std::uint64_t record) {
  return static_cast<off_t>(sizeof(IndexHeader) + record * sizeof(IndexRecord));
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
  directory_ = open_file(path_, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
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
  block_ = {};
  window_ = {};
  if (!head_.data) {
    if (auto ok = open_head(); !ok || !head_.data) return ok;
  }
  numbers_.push_back(0);
  if (auto ok = measure(head_, header_.head_bytes_max); !ok) return ok;
  // A head below its maximum has no tail yet. One exception: if the disk did not even take the hole
  // that ends the head (OutputWriter::drop), the tail is not found, and size() is too small.
  if (head_.size >= header_.head_bytes_max) list_tail(directory_.get(), numbers_);
  return {};
}

Result<const OutputSegments::Segment*> OutputSegments::open(std::uint64_t number) {
  if (!header_.can_have(number)) return unreadable(path_ + "/index" + suffix_of(number));
  Segment& segment = number == 0 ? head_ : tail_;
  if (segment.number != number || !segment.data) {
    segment = {.number = number, .begin = header_.begin_of(number)};
    const auto opened = open_files(segment);
    if (!opened) return std::unexpected(opened.error());
    if (!*opened) return nullptr;
  }
  const std::uint64_t bytes_max = number == 0 ? header_.head_bytes_max : header_.segment_bytes_max;
  if (auto ok = measure(segment, bytes_max); !ok) return std::unexpected(ok.error());
  block_ = {};
  window_ = {};
  return &segment;
}

// Of a finished run, a record may name bytes that a power cut lost: readers report a gap.
bool OutputSegments::is_sound(const Segment& s, const IndexRecord& r) const {
  return r.offset >= s.begin && r.offset <= header_.end_of(s.number);
}

Result<IndexRecord> OutputSegments::read_record(const Segment& s, std::uint64_t i) const {
  IndexRecord r;
  if (::pread(s.index.get(), &r, sizeof r, place_of(i)) != static_cast<ssize_t>(sizeof r) ||
      !is_sound(s, r)) {
    return unreadable(path_ + "/index");
  }
  return r;
}

Result<IndexRecord> OutputSegments::record(const Segment& s, std::uint64_t i) const {
  const std::uint64_t first = i - i % kBlockRecords;
  if (block_.segment != s.number || block_.first != first || block_.records.empty()) {
    std::vector<IndexRecord> records(
        std::min(kBlockRecords, s.records - std::min(s.records, first)));
    const ssize_t n = ::pread(s.index.get(), records.data(), records.size() * sizeof(IndexRecord),
                              place_of(first));
    records.resize(n < 0 ? 0 : static_cast<size_t>(n) / sizeof(IndexRecord));
    block_ = {.segment = s.number, .first = first, .records = std::move(records)};
  }
  if (i - first >= block_.records.size() || !is_sound(s, block_.records[i - first])) {
    return unreadable(path_ + "/index");
  }
  return block_.records[i - first];
}

Result<std::string> OutputSegments::read_bytes(const Segment& s, std::uint64_t begin,
                                               size_t length) const {
  std::string text(length, '\0');
  const ssize_t n = ::pread(s.data.get(), text.data(), length, static_cast<off_t>(begin));
  if (n < 0) return fail_errno("cannot read the output in " + path_, errno);
  text.resize(static_cast<size_t>(n));
  return text;
}

Result<std::string> OutputSegments::bytes(const Segment& s, std::uint64_t offset,
                                          size_t length) const {
  const std::uint64_t begin = offset - s.begin;
  const std::uint64_t place = begin % kWindowBytes;
  if (length > kWindowedBytesMax || place + length > kWindowBytes) {
    return read_bytes(s, begin, length);
  }
  if (window_.segment != s.number || window_.begin != begin - place) {
    // Fill the window at the second read in it: one small read does not mean that more follow.
    window_ = {.segment = s.number, .begin = begin - place};
    return read_bytes(s, begin, length);
  }
  if (window_.bytes.empty()) {
    auto read = read_bytes(s, begin - place, std::min(kWindowBytes, s.size - (begin - place)));
    if (!read) return read;
    window_.bytes = std::move(*read);
  }
  if (place >= window_.bytes.size()) return std::string();
  return window_.bytes.substr(place, length);
}

Result<std::uint64_t> OutputSegments::find(const Segment& s, std::uint64_t offset) const {
  std::uint64_t low = 0;
  std::uint64_t high = s.records;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    const auto r = read_record(s, middle);
    if (!r) return std::unexpected(r.error());
    if (r->offset + r->length <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace drover
