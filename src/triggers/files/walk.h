// A walk lists the matching files below a root, or at some paths below it, as they are now. It
// tests the ignore rules before it enters a directory, follows no symbolic link below the root, and
// survives files that disappear while it runs. If asked to, it watches each directory before it
// lists it, so that nothing that happens in between is lost.
//
// A walk takes time by the size of the tree, or forever on a dead network file system: run it on a
// worker (work/pool.h), never on the loop. It keeps nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "triggers/files/file_spec.h"
#include "triggers/files/snapshot.h"
#include "triggers/files/watch_table.h"
#include "work/turn.h"

namespace drover::triggers {

// Identifies a root: another directory, or another file system, may be there later.
struct RootId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const RootId&) const = default;
};

struct WalkRequest {
  const FileFilter& filter;
  const Snapshot& known;
  std::vector<std::string> paths;  // At these paths and below them; "" is the whole tree.
  WatchTable* watches = nullptr;   // Null: do not watch.
  TreeId tree = 0;
  std::uint64_t walk = 0;
};

enum class RootState : std::uint8_t {
  present,
  missing,
  unmounted,  // The directory exists, but the file system that `known` lists is not mounted on it.
};

struct Walked {
  RootState root = RootState::missing;
  RootId root_id = {};
  bool is_mount_point = false;
  // The kernel does not tell what happens in this tree; it has to be polled. The text says why.
  std::string needs_polling = {};
  std::vector<ListedFile> files = {};
  // Known paths (and what is below them) that are ignored now: they are not deleted.
  std::vector<std::string> ignored = {};
  // Paths that exist and cannot be read: nobody knows what is below them.
  std::vector<std::string> unseen = {};
  std::string warning = {};  // The first trouble that did not stop the walk.
};

// Errors: "too_many_files", "tree_too_large", "root_unreadable", and those of Turn::check.
Result<Walked> walk(const WalkRequest& request, const work::Turn& turn);

// The root's identity; nothing if it is missing. May block like a walk.
std::optional<RootId> root_id_of(const std::string& root);

}  // namespace drover::triggers
