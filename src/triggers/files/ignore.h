// Ignore rules say which files and directories below a root nobody wants to hear of. They have the
// syntax and the meaning of .gitignore files: `!` includes again, a slash at the end means
// directories only, a slash elsewhere ties a rule to the directory of its file, `**` is any number
// of directories, `#` begins a comment. The last rule that matches decides; a file closer to the
// path goes before one further up. Nothing below an ignored directory can be included again: a walk
// tests every directory before it enters it, and does not enter ignored ones.
//
// Where git differs from its own manual, these rules follow the manual: in "a**" the stars are one
// ordinary star (git lets them match slashes behind a literal beginning).
//
// Three sources, strongest first: the rules of the trigger; .gitignore files from the path's own
// directory up to the top of its repository (not git's other sources: info/exclude and the user's
// own file); the built-in rules below. Pure; files are read by the walk (walk.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "triggers/files/path_pattern.h"

namespace drover::triggers {

// Version control, and the temporary files of editors and of NFS: a rule "!*~" of the trigger
// includes them again.
inline constexpr std::string_view kBuiltInIgnores =
    ".git\n.hg/\n.svn/\n.jj/\n"
    "*~\n.*.sw[a-p]\n.*.sw[a-p]x\n"  // vi and vim.
    ".#*\n\\#*#\n"                   // Emacs: locks and autosaves.
    ".*.kate-swp\n*___jb_tmp___\n*___jb_old___\n.goutputstream-*\n.nfs????????????????*\n";

struct IgnoreRule {
  PathPattern pattern;
  bool includes = false;          // "!"
  bool directories_only = false;  // A slash at the end.
  bool any_level = false;         // No other slash: compared with the last part of a path.
};

enum class Verdict : std::uint8_t { none, ignored, included };

// The rules of one file, or of one list.
class IgnoreRules {
 public:
  IgnoreRules() = default;
  // The text of a .gitignore file. A line that cannot match anything is left out.
  explicit IgnoreRules(std::string_view text);

  // `path` is relative to the directory of the file.
  Verdict verdict(std::string_view path, bool is_directory) const;
  bool empty() const { return rules_.empty(); }

 private:
  std::vector<IgnoreRule> rules_;
};

// All rules that apply in one directory of a walk. A cheap value: it shares its parts with the
// directories above.
class IgnoreScope {
 public:
  // The built-in rules and those of the trigger.
  explicit IgnoreScope(IgnoreRules of_trigger);

  // Adds a .gitignore file that is found `above` the root: "repo/" if the root is repo/ below it.
  IgnoreScope with_file_above(std::string above, IgnoreRules rules) const;
  // Adds the .gitignore file in `directory`, relative to the root; "" is the root.
  IgnoreScope with_file(std::string directory, IgnoreRules rules) const;

  // `path` is relative to the root, and its directory is not ignored.
  bool ignores(std::string_view path, bool is_directory) const;

 private:
  struct File {
    std::shared_ptr<const File> up;
    std::string above;      // Put before a path,
    std::string directory;  // or taken away from it.
    IgnoreRules rules;
  };
  std::shared_ptr<const IgnoreRules> of_trigger_;
  std::shared_ptr<const File> files_;  // The deepest first.
};

}  // namespace drover::triggers
