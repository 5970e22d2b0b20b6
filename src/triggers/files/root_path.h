// A RootPath opens the root of a watched tree and checks the directories above it: it watches them
// (anchors), so that a root that is missing, replaced or moved away is noticed, and it reads the
// .gitignore files of the repository that contains the root.
//
// Used by a walk, on a worker; may block like one.
#pragma once

#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "triggers/files/ignore.h"
#include "triggers/files/walk.h"
#include "triggers/files/watch_table.h"

namespace drover::triggers {

class RootPath {
 public:
  explicit RootPath(std::string root) : root_(std::move(root)) {}

  struct Anchors {
    WatchTable& watches;
    TreeId tree;
    std::uint64_t walk;
  };
  // Follows symbolic links: the owner of the trigger chose the root. If the root is missing,
  // `directory` stays closed and its nearest existing parent reports creations. An error: the root
  // may exist, and cannot be opened ("root_unreadable").
  Result<> open(std::optional<Anchors> anchors);

  const Fd& directory() const { return directory_; }
  RootId id() const { return id_; }
  bool is_mount_point() const { return is_mount_point_; }
  // Why events do not tell enough here; empty: they do.
  const std::string& needs_polling() const { return needs_polling_; }

  // Adds the .gitignore files between the top of the repository and the root, if there is one.
  IgnoreScope with_ignores_above(IgnoreScope scope) const;

 private:
  bool watch_above(const Anchors& anchors);
  void anchor(const Anchors& anchors, const Fd& directory, const std::string& path,
              const std::string& next, AnchorEvents events);
  void describe();

  std::string root_;
  Fd directory_;
  RootId id_;
  bool is_mount_point_ = false;
  std::string needs_polling_;
};

// The text of a .gitignore file; empty if there is none. Only a regular file of bounded size.
Result<std::string> read_gitignore(int directory, const char* name);

}  // namespace drover::triggers
