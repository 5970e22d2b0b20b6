// Removes the reserve of an exact reader (remove_reserve in output_segments.h).
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdio>

#include "base/output_segments.h"

namespace drover {
namespace {

std::string name_of(const char* base, std::uint64_t number) {
  return std::string(base) + "." + std::to_string(number);
}

void remove_segment(const Fd& directory, std::uint64_t number) {
  ::unlinkat(directory.get(), name_of("index", number).c_str(), 0);
  ::unlinkat(directory.get(), name_of("output", number).c_str(), 0);
}

// A new file beside `name`, which replaces it in the end.
Fd create_beside(const Fd& directory, const std::string& name) {
  constexpr int kHow = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  return Fd(::openat(directory.get(), (name + ".new").c_str(), kHow, 0600));
}

bool replace(const Fd& directory, const std::string& name) {
  return ::renameat(directory.get(), (name + ".new").c_str(), directory.get(), name.c_str()) == 0;
}

// The data from `cut` on, at the same place in a file with a hole.
bool copy_data(const OutputSegments& segments, const OutputSegments::Segment& s, std::uint64_t cut,
               const Fd& to) {
  if (::ftruncate(to.get(), static_cast<off_t>(s.size)) != 0) return false;
  for (std::uint64_t at = cut; at < s.end();) {
    const auto bytes = segments.bytes(s, at, std::min<std::uint64_t>(s.end() - at, 1 << 20));
    if (!bytes || bytes->empty()) return false;
    const ssize_t n =
        ::pwrite(to.get(), bytes->data(), bytes->size(), static_cast<off_t>(at - s.begin));
    if (n <= 0) return false;
    at += static_cast<std::uint64_t>(n);
  }
  return true;
}

// The records of bytes from `cut` on.
bool copy_index(const OutputSegments& segments, const OutputSegments::Segment& s, std::uint64_t cut,
                const Fd& to) {
  const IndexHeader& header = segments.header();
  std::string text(reinterpret_cast<const char*>(&header), sizeof header);
  const auto first = segments.find(s, cut);
  for (std::uint64_t i = first.value_or(s.records); i < s.records; ++i) {
    auto record = segments.record(s, i);
    if (!record) return false;
    if (record->offset < cut) {
      record->length -= static_cast<std::uint32_t>(cut - record->offset);
      record->offset = cut;
    }
    text.append(reinterpret_cast<const char*>(&*record), sizeof *record);
  }
  return first && write_all(to.get(), text);
}

// Readers that open the segment meanwhile get the old files or the new ones, never an old index
// with new data (OutputSegments::open_files). If the disk is full, more than necessary stays.
void cut_segment(const OutputSegments& segments, const OutputSegments::Segment& s,
                 std::uint64_t cut, const Fd& directory) {
  const std::string index = name_of("index", s.number);
  const std::string data = name_of("output", s.number);
  const bool made = copy_data(segments, s, cut, create_beside(directory, data)) &&
                    copy_index(segments, s, cut, create_beside(directory, index));
  if (made && replace(directory, index) && replace(directory, data)) return;
  ::unlinkat(directory.get(), (index + ".new").c_str(), 0);
  ::unlinkat(directory.get(), (data + ".new").c_str(), 0);
}

}  // namespace

void remove_reserve(const std::string& path) {
  OutputSegments segments(path);
  if (!segments.refresh() || segments.numbers().size() < 2) return;  // No tail.
  const std::uint64_t last_number = segments.numbers().back();
  const auto last = segments.open(last_number);
  if (!last || *last == nullptr) return;
  const IndexHeader& header = segments.header();
  const std::uint64_t cut = header.is_wide()
                                ? (*last)->end() - std::min((*last)->end(), header.head_bytes_max)
                                : header.begin_of(last_number - 1);
  const Fd directory = open_file(path, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (!directory) return;
  for (const std::uint64_t number : segments.numbers()) {
    if (number == 0) continue;
    if (header.end_of(number) <= cut) {
      remove_segment(directory, number);
    } else if (header.is_wide() && header.begin_of(number) < cut) {
      const auto opened = segments.open(number);
      if (opened && *opened != nullptr) cut_segment(segments, **opened, cut, directory);
    }
  }
}

}  // namespace drover
