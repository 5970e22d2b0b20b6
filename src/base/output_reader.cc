#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "base/limits.h"
#include "base/output_file.h"

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
Fd open_file(const Fd& directory, const std::string& name) {
  return Fd(
      ::openat(directory.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

// The number in "index.7"; 0: it has none.
std::uint64_t tail_number(std::string_view name) {
  if (!name.starts_with("index.")) return 0;
  name.remove_prefix(6);
  std::uint32_t number = 0;
  const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), number);
  return bad == std::errc{} && end == name.data() + name.size() ? number : 0;
}

// The numbers of the existing tail segments, in order.
std::vector<std::uint64_t> tail_segments(const Fd& directory) {
  std::vector<std::uint64_t> numbers;
  Fd listed(::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (DIR* dir = ::fdopendir(listed.get()); dir != nullptr) {
    (void)listed.release();  // The DIR owns it now.
    while (const dirent* entry = ::readdir(dir)) {
      if (const std::uint64_t number = tail_number(entry->d_name); number != 0) {
        numbers.push_back(number);
      }
    }
    ::closedir(dir);
  }
  std::ranges::sort(numbers);
  return numbers;
}

constexpr std::uint64_t kSegmentBytesMax = std::uint64_t{1} << 48;  // Larger than any disk.
bool is_plausible(const IndexHeader& header) {
  return header.magic == IndexHeader{}.magic && header.segment_bytes_max > 0 &&
         header.segment_bytes_max <= kSegmentBytesMax && header.head_bytes_max <= kSegmentBytesMax;
}

constexpr std::uint64_t kTailRecordsMax = 50'000;  // A few milliseconds of reading.

bool wanted(std::uint16_t stream, Stream filter) {
  // A record of both streams is only returned whole.
  return filter == Stream::both || stream == 0 || stream == static_cast<std::uint16_t>(filter);
}

}  // namespace

Result<> OutputReader::open_segment(std::uint64_t number, std::uint64_t begin) {
  const std::string suffix = number == 0 ? "" : "." + std::to_string(number);
  Segment segment{
      .number = number, .begin = begin, .size = 0, .records = 0, .data = {}, .index = {}};
  segment.index = open_file(directory_, "index" + suffix);
  if (segment.index) segment.data = open_file(directory_, "output" + suffix);
  if (!segment.index || !segment.data) {
    if (errno == ENOENT) return {};  // Nothing printed yet, or just rotated away.
    if (errno == ELOOP) return unreadable(path_ + "/output" + suffix);
    return fail_errno("cannot open the output in " + path_, errno);
  }
  segments_.push_back(std::move(segment));
  return {};
}

Result<> OutputReader::open_directory() {
  directory_ = Fd(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (directory_ || errno == ENOENT) return {};
  if (errno == ENOTDIR || errno == ELOOP) return unreadable(path_);
  return fail_errno("cannot open " + path_, errno);
}

Result<> OutputReader::open_head() {
  if (!directory_) {
    if (auto ok = open_directory(); !ok || !directory_) return ok;
  }
  if (auto ok = open_segment(0, 0); !ok || segments_.empty()) return ok;
  const ssize_t n = ::pread(segments_[0].index.get(), &header_, sizeof header_, 0);
  if (n == static_cast<ssize_t>(sizeof header_) && is_plausible(header_)) return {};
  segments_.clear();
  if (n >= 0 && n < static_cast<ssize_t>(sizeof header_)) return {};  // It is just being written.
  return unreadable(path_ + "/index");
}

Result<> OutputReader::refresh() {
  if (segments_.empty()) {
    if (auto ok = open_head(); !ok || segments_.empty()) return ok;
  }
  const auto measure = [](Segment& s) -> Result<> {
    const auto index_size = file_size(s.index);
    if (!index_size) return std::unexpected(index_size.error());
    const auto data_size = file_size(s.data);
    if (!data_size) return std::unexpected(data_size.error());
    s.size = *data_size;
    s.records = *index_size < sizeof(IndexHeader)
                    ? 0
                    : (*index_size - sizeof(IndexHeader)) / sizeof(IndexRecord);
    return {};
  };
  if (auto ok = measure(segments_[0]); !ok) return ok;
  if (segments_[0].size < header_.head_bytes_max) return {};
  std::erase_if(segments_, [](const Segment& s) { return s.number != 0; });
  for (const std::uint64_t number : tail_segments(directory_)) {
    const std::uint64_t begin = header_.head_bytes_max + (number - 1) * header_.segment_bytes_max;
    if (auto ok = open_segment(number, begin); !ok) return ok;
    if (segments_.back().number != number) continue;
    if (auto ok = measure(segments_.back()); !ok) return ok;
  }
  return {};
}

Result<std::uint64_t> OutputReader::size() {
  if (auto ok = refresh(); !ok) return std::unexpected(ok.error());
  return segments_.empty() ? 0 : segments_.back().begin + segments_.back().size;
}

Result<bool> OutputReader::holds_all(std::uint64_t printed) {
  if (auto ok = refresh(); !ok) return std::unexpected(ok.error());
  std::uint64_t end = 0;
  for (const Segment& segment : segments_) {
    if (segment.begin != end) return false;
    end = segment.begin + segment.size;
  }
  return end >= printed;
}

Result<IndexRecord> OutputReader::record(const Segment& s, std::uint64_t i) const {
  IndexRecord r;
  const auto at = static_cast<off_t>(sizeof(IndexHeader) + i * sizeof r);
  // Data is written before its record: a record that begins after the end of the data is invalid.
  if (::pread(s.index.get(), &r, sizeof r, at) != static_cast<ssize_t>(sizeof r) ||
      r.offset < s.begin || r.offset > s.begin + s.size) {
    return unreadable(path_ + "/index");
  }
  return r;
}

Result<std::string> OutputReader::bytes(const Segment& s, std::uint64_t offset,
                                        size_t length) const {
  std::string text(length, '\0');
  const ssize_t n =
      ::pread(s.data.get(), text.data(), length, static_cast<off_t>(offset - s.begin));
  if (n < 0) return fail_errno("cannot read the output in " + path_, errno);
  text.resize(static_cast<size_t>(n));
  return text;
}

Result<std::uint64_t> OutputReader::find(const Segment& s, std::uint64_t offset) const {
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

Result<std::vector<OutputPiece>> OutputReader::read(std::uint64_t offset, size_t bytes_max,
                                                    Stream stream, std::uint64_t* next) {
  std::vector<OutputPiece> pieces;
  *next = offset;
  if (auto ok = refresh(); !ok) return std::unexpected(ok.error());
  size_t left = bytes_max;
  for (const Segment& s : segments_) {
    if (s.begin + s.size <= *next) continue;
    *next = std::max(*next, s.begin);
    const auto first = find(s, *next);
    if (!first) return std::unexpected(first.error());
    for (std::uint64_t i = *first; i < s.records && left > 0; ++i) {
      const auto r = record(s, i);
      if (!r) return std::unexpected(r.error());
      const std::uint64_t end = std::min<std::uint64_t>(r->offset + r->length, s.begin + s.size);
      if (end <= *next) continue;
      if (!wanted(r->stream, stream)) {
        *next = end;
        continue;
      }
      const size_t length = std::min<std::uint64_t>(end - *next, left);
      auto text = bytes(s, *next, length);
      if (!text) return std::unexpected(text.error());
      if (text->empty()) break;
      const Stream of = r->stream == 0 ? Stream::out : static_cast<Stream>(r->stream);
      left -= text->size();
      pieces.push_back({*next, of, r->wall_ms, std::move(*text)});
      *next += pieces.back().bytes.size();
    }
    if (left == 0) break;
  }
  return pieces;
}

Result<std::uint64_t> OutputReader::tail_offset(size_t lines, Stream stream) {
  const auto end = size();
  if (!end || lines == 0) return end;
  size_t found = 0;
  bool at_end = true;  // The newline of the last line starts no further line.
  std::uint64_t begin = *end;
  std::uint64_t looked_at = 0;
  for (size_t k = segments_.size(); k-- > 0;) {
    const Segment& s = segments_[k];
    for (std::uint64_t i = s.records; i-- > 0;) {
      const auto r = record(s, i);
      if (!r) return std::unexpected(r.error());
      // Does not search further back than one answer can carry: readers share the daemon's loop.
      if (++looked_at > kTailRecordsMax || r->offset + limits::kLogReadBytesMax < *end) {
        return begin;
      }
      if (!wanted(r->stream, stream)) continue;
      const std::uint64_t stop = std::min<std::uint64_t>(r->offset + r->length, s.begin + s.size);
      for (std::uint64_t block_end = stop; block_end > r->offset;) {
        const std::uint64_t block = std::max(
            r->offset, block_end - std::min<std::uint64_t>(block_end, limits::kLogChunkBytes));
        auto text = bytes(s, block, block_end - block);
        if (!text) return std::unexpected(text.error());
        for (size_t j = text->size(); j-- > 0;) {
          if ((*text)[j] == '\n' && !at_end && ++found == lines) return block + j + 1;
          at_end = false;
        }
        begin = block;
        block_end = block;
      }
    }
  }
  return begin;
}

}  // namespace drover
