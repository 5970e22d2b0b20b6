#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/limits.h"
#include "base/output_file.h"

namespace drover {
namespace {

Result<std::uint64_t> file_size(const Fd& fd) {
  struct stat st{};
  if (::fstat(fd.get(), &st) != 0) return fail_errno("cannot look at an output file", errno);
  return static_cast<std::uint64_t>(st.st_size);
}

// The numbers of the tail's segments that are there, in order.
std::vector<std::uint64_t> tail_segments(const std::string& folder) {
  std::vector<std::uint64_t> numbers;
  if (DIR* dir = ::opendir(folder.c_str()); dir != nullptr) {
    while (const dirent* entry = ::readdir(dir)) {
      const std::string_view name(entry->d_name);
      if (name.starts_with("index."))
        numbers.push_back(std::strtoull(entry->d_name + 6, nullptr, 10));
    }
    ::closedir(dir);
  }
  std::ranges::sort(numbers);
  return numbers;
}

constexpr std::uint64_t kTailRecordsMax = 50'000;  // A few milliseconds of looking.

bool wanted(std::uint16_t stream, Stream filter) {
  // A record of both streams can only be shown whole.
  return filter == Stream::both || stream == 0 || stream == static_cast<std::uint16_t>(filter);
}

}  // namespace

Result<> OutputReader::open_segment(std::uint64_t number, std::uint64_t begin) {
  const std::string suffix = number == 0 ? "" : "." + std::to_string(number);
  Segment segment{
      .number = number, .begin = begin, .size = 0, .records = 0, .data = {}, .index = {}};
  segment.index = Fd(::open((folder_ + "/index" + suffix).c_str(), O_RDONLY | O_CLOEXEC));
  segment.data = Fd(::open((folder_ + "/output" + suffix).c_str(), O_RDONLY | O_CLOEXEC));
  if (!segment.index || !segment.data) {
    if (errno == ENOENT) return {};  // Nothing printed yet, or just rotated away.
    return fail_errno("cannot open the output in " + folder_, errno);
  }
  segments_.push_back(std::move(segment));
  return {};
}

Result<> OutputReader::refresh() {
  if (segments_.empty()) {
    if (auto ok = open_segment(0, 0); !ok) return ok;
    if (segments_.empty()) return {};
    if (::pread(segments_[0].index.get(), &header_, sizeof header_, 0) !=
            static_cast<ssize_t>(sizeof header_) ||
        header_.magic != IndexHeader{}.magic || header_.segment_bytes_max == 0) {
      segments_.clear();  // The writer is between creating it and writing the header.
      return {};
    }
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
  for (const std::uint64_t number : tail_segments(folder_)) {
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

Result<IndexRecord> OutputReader::record(const Segment& s, std::uint64_t i) const {
  IndexRecord r;
  const auto at = static_cast<off_t>(sizeof(IndexHeader) + i * sizeof r);
  if (::pread(s.index.get(), &r, sizeof r, at) != static_cast<ssize_t>(sizeof r)) {
    return fail(ErrorCode::corrupt, "index_unreadable", "the output's index cannot be read");
  }
  return r;
}

Result<std::string> OutputReader::bytes(const Segment& s, std::uint64_t offset,
                                        size_t length) const {
  std::string text(length, '\0');
  const ssize_t n =
      ::pread(s.data.get(), text.data(), length, static_cast<off_t>(offset - s.begin));
  if (n < 0) return fail_errno("cannot read the output in " + folder_, errno);
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
  bool at_end = true;  // The newline that ends the last line begins no other one.
  std::uint64_t begin = *end;
  std::uint64_t looked_at = 0;
  for (size_t k = segments_.size(); k-- > 0;) {
    const Segment& s = segments_[k];
    for (std::uint64_t i = s.records; i-- > 0;) {
      const auto r = record(s, i);
      if (!r) return std::unexpected(r.error());
      // More than one answer carries is not looked for: readers share the daemon's loop.
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
