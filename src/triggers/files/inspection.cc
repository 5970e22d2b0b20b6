#include "triggers/files/inspection.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "triggers/files/snapshot_codec.h"

namespace drover::triggers {
namespace {

bool is_at_or_below(std::string_view path, std::string_view directory) {
  return directory.empty() || path == directory ||
         (path.starts_with(directory) && path[directory.size()] == '/');
}

bool is_below_any(std::string_view path, const std::vector<std::string>& directories) {
  return std::ranges::any_of(
      directories, [path](const std::string& each) { return is_at_or_below(path, each); });
}

std::vector<std::string> paths_of(const InspectionRequest& request) {
  if (request.kind == InspectionKind::scan) return request.scan;
  std::vector<std::string> out;
  if (request.kind == InspectionKind::baseline || request.due.everything) {
    out.emplace_back();
    return out;
  }
  for (const Settle::Path& path : request.due.paths) out.push_back(path.path);
  return out;
}

struct Edits {
  std::vector<FileEdit> differing;
  std::vector<FileEdit> ignored;  // Known files that are ignored now: forgotten, not deleted.
};

// How the walked files differ from the known ones in the same places.
Edits compare(const Snapshot& known, const Walked& walked, const std::vector<std::string>& paths) {
  Edits out;
  std::unordered_set<std::string_view> present;
  for (const ListedFile& file : walked.files) {
    present.insert(file.path);
    const FileEntry* before = known.find(file.path);
    if (before == nullptr || *before != file.entry) {
      out.differing.push_back({file.path, file.entry});
    }
  }
  std::unordered_set<std::string_view> gone;  // Scan paths may overlap.
  for (const std::string& path : paths) {
    for (const ListedFile* file : known.at_or_below(path)) {
      if (present.contains(file->path) || !gone.insert(file->path).second) continue;
      if (is_below_any(file->path, walked.unseen)) continue;
      auto& edits = is_below_any(file->path, walked.ignored) ? out.ignored : out.differing;
      edits.push_back({file->path, std::nullopt});
    }
  }
  return out;
}

// Moves the paths that changed again since a walk saw them from `edits` to `restless`.
void keep_settled(const Settle::Due& due, const Walked& walked, std::vector<FileEdit>& edits,
                  std::vector<FileEdit>& restless) {
  std::unordered_map<std::string_view, const ListedFile*> present;
  for (const ListedFile& file : walked.files) present.emplace(file.path, &file);
  std::unordered_set<std::string_view> unsettled;
  for (const Settle::Path& path : due.paths) {
    if (!path.expected) continue;
    const auto found = present.find(path.path);
    const Sighting now = found == present.end() ? Sighting{} : Sighting{found->second->entry};
    if (now == *path.expected) continue;
    unsettled.insert(path.path);
    restless.push_back({path.path, now});
  }
  std::erase_if(edits, [&](const FileEdit& edit) { return unsettled.contains(edit.path); });
}

ChangeBatch batch_of(const InspectionRequest& request, const Snapshot& before,
                     const Snapshot& after) {
  const ChangeKinds& kinds = request.filter->spec().kinds;
  ChangeBatch out{.changes = {}, .after = after, .parts = {}};
  if (request.kind == InspectionKind::report) {
    out.changes = difference(before, after, kinds.moved);
    std::erase_if(out.changes, [&](const FileChange& each) { return !kinds.has(each.kind); });
    out.count = out.changes.size();
    out.coalesced = out.count > 0 && (request.due.everything || out.count > kChangesMax);
    if (out.count > kChangesMax) out.changes.resize(kChangesMax);
    if (out.count == 0) return out;
  }
  for (const size_t index : after.changed_parts(request.stored)) {
    out.parts.push_back({index, encode_part(after, index)});
  }
  return out;
}

}  // namespace

Result<Inspection> inspect(const InspectionRequest& request, const work::Turn& turn) {
  const std::vector<std::string> paths = paths_of(request);
  const bool whole = std::ranges::find(paths, "") != paths.end();
  auto walked = walk({.filter = *request.filter,
                      .known = request.known,
                      .paths = paths,
                      .watches = request.watches.get(),
                      .tree = request.tree,
                      .walk = request.walk},
                     turn);
  if (!walked) return std::unexpected(std::move(walked.error()));
  Inspection out{.root = walked->root,
                 .root_id = walked->root_id,
                 .needs_polling = walked->needs_polling,
                 .warning = walked->warning,
                 .known = request.known};
  const bool gone = walked->root == RootState::missing && request.root_was_deleted;
  const bool is_comparable = walked->root == RootState::present || gone;
  if (!is_comparable && request.kind != InspectionKind::baseline) {
    // Files that cannot be seen are not deleted. When the root is back, the whole tree is compared.
    return out;
  }
  Edits edits = compare(request.known, *walked, paths);
  if (request.kind == InspectionKind::report) {
    keep_settled(request.due, *walked, edits.differing, out.differing);
  }
  const Snapshot before = edits.ignored.empty() ? request.known : request.known.with(edits.ignored);
  if (request.kind == InspectionKind::scan) {
    out.known = before;
    out.is_too_different = edits.differing.size() > kPendingMax;
    if (!out.is_too_different) out.differing = std::move(edits.differing);
    return out;
  }
  Snapshot after = edits.differing.empty() ? before : before.with(std::move(edits.differing));
  if (after.size() > kFilesMax) {
    return fail(ErrorCode::exhausted, "too_many_files",
                "more than 100,000 files match below " + request.filter->spec().root +
                    ": narrow the globs, or ignore directories");
  }
  if (walked->root == RootState::present && whole &&
      after.is_mount_point() != walked->is_mount_point) {
    after = after.with_mount_point(walked->is_mount_point);
  }
  out.batch = batch_of(request, before, after);
  out.known = std::move(after);
  return out;
}

}  // namespace drover::triggers
