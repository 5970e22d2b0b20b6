// A FileSpec says what a file trigger watches: a root directory, globs below it, the kinds of
// change that count, and rules for files that do not. A FileFilter is a valid FileSpec, ready to be
// asked. Both are values; a FileFilter is immutable, and the loop and the workers share it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "triggers/files/glob.h"
#include "triggers/files/ignore.h"
#include "triggers/files/limits.h"
#include "triggers/files/snapshot.h"

namespace drover::triggers {

struct ChangeKinds {
  bool created = true;
  bool changed = true;
  bool deleted = true;
  bool moved = true;  // If not wanted, a move counts as deleted and created.

  bool has(ChangeKind kind) const;
  bool operator==(const ChangeKinds&) const = default;
};

struct FileSpec {
  // Absolute. It may not exist yet. Symbolic links in it are followed; those below it are not.
  std::string root;
  std::vector<std::string> globs = {};  // Relative to the root; none: every file.
  ChangeKinds kinds = {};
  std::vector<std::string> ignore = {};  // Lines of a .gitignore file in the root.
  bool gitignore = true;                 // Honor .gitignore files.
  std::int64_t settle_ms = kSettleMs;
};

// Errors name the field: "root", "globs[2]", "kinds", "ignore[0]", "settle_ms".
Result<> validate(const FileSpec& spec);

// Identifies which files a spec lists: the root, globs and ignore rules. A stored snapshot is
// comparable with another one of the same fingerprint only. Never 0.
std::uint64_t fingerprint(const FileSpec& spec);

class FileFilter {
 public:
  // `spec` must be valid.
  explicit FileFilter(FileSpec spec);

  const FileSpec& spec() const { return spec_; }
  // Whether a glob matches the file. The ignore rules are the walk's concern, which knows
  // .gitignore files.
  bool matches(std::string_view path) const;
  // Whether a file below the directory may match.
  bool may_match_below(std::string_view directory) const;
  // Whether a rule of the trigger itself ignores the path: no .gitignore file changes that.
  bool ignores_surely(std::string_view path, bool is_directory) const;
  // The rules that apply in the root before any .gitignore file is read.
  const IgnoreScope& ignores() const { return ignores_; }

 private:
  FileSpec spec_;
  std::vector<Glob> globs_;
  IgnoreRules own_rules_;
  IgnoreScope ignores_;
};

}  // namespace drover::triggers
