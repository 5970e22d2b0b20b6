#include "triggers/files/snapshot.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/fnv.h"

namespace drover::triggers {
namespace {

const Snapshot::Part& empty_part() {
  static const Snapshot::Part part;
  return part;
}

// The range of `part` at `path` or below it. "a.b" sorts between "a" and "a/b": two ranges.
void add_at_or_below(const Snapshot::Part& part, std::string_view path,
                     std::vector<const ListedFile*>& out) {
  auto at = part.begin();
  if (!path.empty()) {
    at = std::ranges::lower_bound(part, path, {}, &ListedFile::path);
    if (at != part.end() && at->path == path) out.push_back(&*at);
    at = std::ranges::lower_bound(at, part.end(), std::string(path) + '/', {}, &ListedFile::path);
  }
  for (; at != part.end(); ++at) {
    const bool below = path.empty() || (at->path.starts_with(path) && at->path[path.size()] == '/');
    if (!below) break;
    out.push_back(&*at);
  }
}

using Identity = std::tuple<std::uint64_t, std::uint64_t, std::int64_t>;

Identity identity(const FileEntry& entry) {
  return {entry.inode, entry.size, entry.mtime_ns};
}

// Makes one move of each deletion whose file is found at another path.
void pair(std::vector<FileChange>& changes, const Snapshot& before) {
  std::multimap<Identity, size_t> lost;
  for (size_t i = 0; i < changes.size(); ++i) {
    if (changes[i].kind != ChangeKind::deleted) continue;
    lost.emplace(identity(*before.find(changes[i].path)), i);
  }
  if (lost.empty()) return;
  std::vector<bool> paired(changes.size());
  for (FileChange& change : changes) {
    if (!change.entry) continue;
    const auto found = lost.find(identity(*change.entry));
    if (found == lost.end()) continue;
    change.kind = ChangeKind::moved;
    change.from = changes[found->second].path;
    paired[found->second] = true;
    lost.erase(found);
  }
  size_t at = 0;
  std::erase_if(changes, [&](const FileChange&) { return paired[at++]; });
}

}  // namespace

Snapshot::Snapshot(std::vector<ListedFile> files) {
  std::array<Part, kParts> parts;
  for (ListedFile& file : files) parts[part_of(file.path)].push_back(std::move(file));
  for (size_t i = 0; i < kParts; ++i) {
    if (parts[i].empty()) continue;
    std::ranges::sort(parts[i], {}, &ListedFile::path);
    parts_[i] = std::make_shared<const Part>(std::move(parts[i]));
  }
}

Snapshot Snapshot::with_fingerprint(std::uint64_t fingerprint) const {
  Snapshot out = *this;
  out.fingerprint_ = fingerprint;
  return out;
}

Snapshot Snapshot::with_mount_point(bool is_mount_point) const {
  Snapshot out = *this;
  out.is_mount_point_ = is_mount_point;
  return out;
}

Snapshot Snapshot::with_part(size_t index, Part part) const {
  Snapshot out = *this;
  out.parts_[index] = part.empty() ? nullptr : std::make_shared<const Part>(std::move(part));
  return out;
}

Snapshot Snapshot::with(std::vector<FileEdit> edits) const {
  std::array<std::map<std::string, std::optional<FileEntry>>, kParts> by_part;
  for (FileEdit& edit : edits) {
    const size_t index = part_of(edit.path);
    by_part[index][std::move(edit.path)] = edit.entry;
  }
  Snapshot out = *this;
  for (size_t i = 0; i < kParts; ++i) {
    if (by_part[i].empty()) continue;
    Part next;
    auto edit = by_part[i].begin();
    const auto add_edits_before = [&](const std::string* path) {
      for (; edit != by_part[i].end() && (path == nullptr || edit->first < *path); ++edit) {
        if (edit->second) next.push_back({edit->first, *edit->second});
      }
    };
    for (const ListedFile& file : part(i)) {
      add_edits_before(&file.path);
      if (edit == by_part[i].end() || edit->first != file.path) {
        next.push_back(file);
        continue;
      }
      if (edit->second) next.push_back({file.path, *edit->second});
      ++edit;
    }
    add_edits_before(nullptr);
    out = out.with_part(i, std::move(next));
  }
  return out;
}

size_t Snapshot::size() const {
  size_t out = 0;
  for (const auto& each : parts_) out += each ? each->size() : 0;
  return out;
}

const FileEntry* Snapshot::find(std::string_view path) const {
  const Part& files = part(part_of(path));
  const auto at = std::ranges::lower_bound(files, path, {}, &ListedFile::path);
  return at != files.end() && at->path == path ? &at->entry : nullptr;
}

std::vector<const ListedFile*> Snapshot::at_or_below(std::string_view path) const {
  std::vector<const ListedFile*> out;
  for (size_t i = 0; i < kParts; ++i) add_at_or_below(part(i), path, out);
  std::ranges::sort(out, {}, &ListedFile::path);
  return out;
}

bool Snapshot::has_at_or_below(std::string_view path) const {
  if (find(path) != nullptr) return true;
  std::vector<const ListedFile*> out;
  for (size_t i = 0; i < kParts && out.empty(); ++i) add_at_or_below(part(i), path, out);
  return !out.empty();
}

const Snapshot::Part& Snapshot::part(size_t index) const {
  return parts_[index] ? *parts_[index] : empty_part();
}

std::vector<size_t> Snapshot::changed_parts(const Snapshot& before) const {
  const bool all = fingerprint_ != before.fingerprint_ || is_mount_point_ != before.is_mount_point_;
  std::vector<size_t> out;
  for (size_t i = 0; i < kParts; ++i) {
    if (all || parts_[i] != before.parts_[i]) out.push_back(i);
  }
  return out;
}

// Stored: the hash must not change.
size_t Snapshot::part_of(std::string_view path) {
  const std::uint64_t hash = fnv(path);
  return (hash ^ (hash >> 32U)) % kParts;
}

bool Snapshot::operator==(const Snapshot& other) const {
  if (fingerprint_ != other.fingerprint_ || is_mount_point_ != other.is_mount_point_) return false;
  for (size_t i = 0; i < kParts; ++i) {
    if (parts_[i] != other.parts_[i] && part(i) != other.part(i)) return false;
  }
  return true;
}

std::string_view name_of(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::created:
      return "created";
    case ChangeKind::changed:
      return "changed";
    case ChangeKind::deleted:
      return "deleted";
    case ChangeKind::moved:
      return "moved";
  }
  return {};
}

std::vector<FileChange> difference(const Snapshot& before, const Snapshot& after, bool pair_moves) {
  std::vector<FileChange> out;
  for (size_t i = 0; i < Snapshot::kParts; ++i) {
    const Snapshot::Part& old_files = before.part(i);
    const Snapshot::Part& new_files = after.part(i);
    if (&old_files == &new_files) continue;
    auto old_file = old_files.begin();
    auto new_file = new_files.begin();
    while (old_file != old_files.end() || new_file != new_files.end()) {
      const bool only_old = new_file == new_files.end() ||
                            (old_file != old_files.end() && old_file->path < new_file->path);
      const bool only_new =
          !only_old && (old_file == old_files.end() || new_file->path < old_file->path);
      if (only_old) {
        out.push_back({.kind = ChangeKind::deleted, .path = old_file->path});
      } else if (only_new || old_file->entry != new_file->entry) {
        out.push_back({.kind = only_new ? ChangeKind::created : ChangeKind::changed,
                       .path = new_file->path,
                       .entry = new_file->entry});
      }
      if (!only_new) ++old_file;
      if (!only_old) ++new_file;
    }
  }
  std::ranges::sort(out, {}, &FileChange::path);
  if (pair_moves) pair(out, before);
  return out;
}

}  // namespace drover::triggers
