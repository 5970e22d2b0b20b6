#include "triggers/files/snapshot_codec.h"

#include <algorithm>
#include <optional>

#include "base/fnv.h"
#include "triggers/files/limits.h"

namespace drover::triggers {
namespace {

constexpr std::string_view kMagic = "DFS";
constexpr size_t kChecksumBytes = 8;
constexpr size_t kPathBytesMax = 4'096;

void add_fixed(std::string& out, std::uint64_t number) {
  for (unsigned i = 0; i < 8; ++i) out += static_cast<char>(number >> (8 * i) & 0xFFU);
}

void add_number(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U) out += static_cast<char>((number & 0x7FU) | 0x80U);
  out += static_cast<char>(number);
}

std::uint64_t zigzag(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1U) ^ static_cast<std::uint64_t>(number >> 63U);
}

std::int64_t unzigzag(std::uint64_t number) {
  return static_cast<std::int64_t>((number >> 1U) ^ (~(number & 1U) + 1));
}

// Reads a record; after the first read beyond its end `is_damaged` is true and all reads are 0.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::string_view bytes(std::uint64_t count) {
    if (count > rest_.size()) {
      is_damaged_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view out = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return out;
  }
  std::uint64_t fixed() {
    std::uint64_t out = 0;
    const std::string_view eight = bytes(8);
    for (size_t i = 0; i < eight.size(); ++i) {
      out |= std::uint64_t{static_cast<unsigned char>(eight[i])} << (8 * i);
    }
    return out;
  }
  unsigned char byte() {
    const std::string_view one = bytes(1);
    return one.empty() ? 0 : static_cast<unsigned char>(one[0]);
  }
  std::uint64_t number() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const unsigned char next = byte();
      out |= std::uint64_t{next & 0x7FU} << shift;
      if (next < 0x80) return out;
    }
    is_damaged_ = true;
    return 0;
  }
  bool is_damaged() const { return is_damaged_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool is_damaged_ = false;
};

std::unexpected<Error> damaged(std::string_view how) {
  return fail(ErrorCode::corrupt, "snapshot_damaged",
              "a stored list of watched files is damaged (" + std::string(how) +
                  "); changes made while the daemon was down cannot be found");
}

// The files of one record; nothing if they are not a sorted list of this part.
std::optional<Snapshot::Part> read_files(Reader& reader, size_t index) {
  const std::uint64_t count = reader.number();
  if (count > kFilesMax) return std::nullopt;
  Snapshot::Part out;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string before = out.empty() ? std::string() : out.back().path;
    const std::uint64_t shared = reader.number();
    const std::uint64_t rest = reader.number();
    if (shared > before.size() || rest > kPathBytesMax) return std::nullopt;
    std::string path = before.substr(0, shared) + std::string(reader.bytes(rest));
    const FileEntry entry{
        .size = reader.number(), .mtime_ns = unzigzag(reader.number()), .inode = reader.number()};
    if (reader.is_damaged() || path <= before || Snapshot::part_of(path) != index) {
      return std::nullopt;
    }
    out.push_back({std::move(path), entry});
  }
  return out;
}

}  // namespace

std::string encode_part(const Snapshot& snapshot, size_t index) {
  std::string out(kMagic);
  out += static_cast<char>(kSnapshotVersion);
  add_fixed(out, snapshot.fingerprint());
  out += snapshot.is_mount_point() ? '\1' : '\0';
  out += static_cast<char>(index);
  add_number(out, snapshot.part(index).size());
  std::string_view before;
  for (const auto& [path, entry] : snapshot.part(index)) {
    const auto shared =
        static_cast<size_t>(std::ranges::mismatch(before, path).in1 - before.begin());
    add_number(out, shared);
    add_number(out, path.size() - shared);
    out += std::string_view(path).substr(shared);
    add_number(out, entry.size);
    add_number(out, zigzag(entry.mtime_ns));
    add_number(out, entry.inode);
    before = path;
  }
  add_fixed(out, fnv(out));
  return out;
}

Result<Snapshot> decode_parts(std::span<const std::string_view> records) {
  Snapshot out;
  std::array<bool, Snapshot::kParts> seen{};
  for (const std::string_view record : records) {
    Reader reader(record.substr(0, record.size() - std::min(record.size(), kChecksumBytes)));
    if (reader.bytes(kMagic.size()) != kMagic) return damaged("not a snapshot");
    if (const unsigned char version = reader.byte(); version != kSnapshotVersion) {
      return fail(ErrorCode::corrupt, "snapshot_newer",
                  "a stored list of watched files has version " + std::to_string(version) +
                      ", and this daemon reads version " + std::to_string(kSnapshotVersion) +
                      "; changes made while the daemon was down cannot be found");
    }
    if (Reader(record.substr(record.size() - kChecksumBytes)).fixed() !=
        fnv(record.substr(0, record.size() - kChecksumBytes))) {
      return damaged("its checksum is wrong");
    }
    const std::uint64_t fingerprint = reader.fixed();
    const unsigned char flags = reader.byte();
    const size_t index = reader.byte();
    if (reader.is_damaged() || flags > 1 || index >= Snapshot::kParts || seen[index]) {
      return damaged("its header is wrong");
    }
    const bool is_first = std::ranges::none_of(seen, std::identity{});
    if (!is_first && (fingerprint != out.fingerprint() || (flags == 1) != out.is_mount_point())) {
      return damaged("its parts do not belong together");
    }
    seen[index] = true;
    auto files = read_files(reader, index);
    if (!files || reader.is_damaged() || !reader.at_end()) return damaged("its files are wrong");
    out = out.with_fingerprint(fingerprint).with_mount_point(flags == 1);
    out = out.with_part(index, std::move(*files));
  }
  if (out.size() > kFilesMax) return damaged("it has too many files");
  return out;
}

}  // namespace drover::triggers
