// A Snapshot lists the matching files below a root: path, size, time of the last change, inode. A
// trigger stores the snapshot of what it reported; the next difference is taken against it, so that
// a crash reports nothing twice and changes made while the daemon is down are found.
//
// The files are divided into 64 parts by a hash of their paths. Parts are immutable and shared: a
// copy is cheap, and after a change of one file only one part has to be stored again. Pure values;
// any thread. Format of a stored part: snapshot_codec.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::triggers {

struct FileEntry {
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileEntry&) const = default;
};

struct ListedFile {
  std::string path;  // Relative to the root.
  FileEntry entry;
  bool operator==(const ListedFile&) const = default;
};

// A file as it is now; nothing: there is none.
struct FileEdit {
  std::string path;
  std::optional<FileEntry> entry;
};

class Snapshot {
 public:
  static constexpr size_t kParts = 64;
  using Part = std::vector<ListedFile>;  // Sorted by path.

  Snapshot() = default;
  // `files` in any order, each path once.
  explicit Snapshot(std::vector<ListedFile> files);

  // Copies with changed facts. The fingerprint is that of the FileSpec: a snapshot of another spec
  // lists other files, and differences against it mean nothing.
  Snapshot with_fingerprint(std::uint64_t fingerprint) const;
  // Whether the root was a mount point. If it no longer is one, its disk is missing.
  Snapshot with_mount_point(bool is_mount_point) const;
  // Replaces one part; for decoding.
  Snapshot with_part(size_t index, Part part) const;
  // The last edit of a path counts.
  Snapshot with(std::vector<FileEdit> edits) const;

  std::uint64_t fingerprint() const { return fingerprint_; }
  bool is_mount_point() const { return is_mount_point_; }
  size_t size() const;
  bool empty() const { return size() == 0; }
  const FileEntry* find(std::string_view path) const;
  // The files at `path` or below it; "" is the root: all files. Sorted.
  std::vector<const ListedFile*> at_or_below(std::string_view path) const;
  bool has_at_or_below(std::string_view path) const;
  const Part& part(size_t index) const;
  // Which parts have to be stored again if `before` is stored. Compares pointers: a part that was
  // rebuilt with the same files counts as changed.
  std::vector<size_t> changed_parts(const Snapshot& before) const;

  static size_t part_of(std::string_view path);
  bool operator==(const Snapshot& other) const;

 private:
  std::uint64_t fingerprint_ = 0;
  bool is_mount_point_ = false;
  std::array<std::shared_ptr<const Part>, kParts> parts_;  // Null: empty.
};

enum class ChangeKind : std::uint8_t { created, changed, deleted, moved };
std::string_view name_of(ChangeKind kind);

struct FileChange {
  ChangeKind kind = ChangeKind::created;
  std::string path;
  std::string from = {};                // Of a moved file.
  std::optional<FileEntry> entry = {};  // Nothing: deleted.
  bool operator==(const FileChange&) const = default;
};

// The changes that lead from `before` to `after`, sorted by path. A file is moved if a path lost it
// and another path has the same inode, size and time now; without `pair_moves` it is deleted at one
// path and created (or changed) at the other.
std::vector<FileChange> difference(const Snapshot& before, const Snapshot& after,
                                   bool pair_moves = true);

}  // namespace drover::triggers
