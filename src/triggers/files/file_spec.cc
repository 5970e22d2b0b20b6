#include "triggers/files/file_spec.h"

#include <algorithm>

#include "base/fnv.h"
#include "base/text.h"

namespace drover::triggers {
namespace {

constexpr size_t kShownBytes = 200;  // Of a path in a message.

std::string field(std::string_view list, size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

Result<> validate_root(std::string_view root) {
  const std::string shown = "\"" + bounded(root, kShownBytes) + "\"";
  if (root.empty()) return fail_invalid("root", "the root is not set: give a directory to watch");
  if (!root.starts_with('/')) {
    return fail_invalid("root", "the root " + shown + " must be an absolute path");
  }
  if (root.size() > kRootBytesMax) {
    return fail_invalid("root", "the root is longer than " + std::to_string(kRootBytesMax) +
                                    " bytes, which no system call accepts");
  }
  if (root.find('\0') != std::string_view::npos) {
    return fail_invalid("root", "the root contains a zero byte: remove it");
  }
  for (std::string_view rest = root.substr(1); !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (part == "." || part == ".." || part.empty()) {
      return fail_invalid("root", "the root " + shown +
                                      " must be a plain path, without \".\", \"..\" and doubled "
                                      "slashes");
    }
  }
  if (root.size() > 1 && root.ends_with('/')) {
    return fail_invalid("root", "the root " + shown + " must not end with a slash");
  }
  return {};
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

}  // namespace

bool ChangeKinds::has(ChangeKind kind) const {
  switch (kind) {
    case ChangeKind::created:
      return created;
    case ChangeKind::changed:
      return changed;
    case ChangeKind::deleted:
      return deleted;
    case ChangeKind::moved:
      return moved;
  }
  return false;
}

Result<> validate(const FileSpec& spec) {
  if (auto root = validate_root(spec.root); !root) return root;
  if (spec.globs.size() > kGlobsMax) {
    return fail_invalid("globs", "a trigger has at most " + std::to_string(kGlobsMax) +
                                     " globs: use {a,b} or a second trigger");
  }
  for (size_t i = 0; i < spec.globs.size(); ++i) {
    const auto glob = parse_glob(spec.globs[i], field("globs", i));
    if (!glob) return std::unexpected(glob.error());
  }
  if (spec.kinds == ChangeKinds{false, false, false, false}) {
    return fail_invalid("kinds",
                        "no kind of change is wanted: give created, changed, deleted or moved");
  }
  if (spec.ignore.size() > kIgnoreRulesMax) {
    return fail_invalid("ignore", "a trigger has at most " + std::to_string(kIgnoreRulesMax) +
                                      " ignore rules: put them into a .gitignore file");
  }
  for (size_t i = 0; i < spec.ignore.size(); ++i) {
    const std::string& line = spec.ignore[i];
    if (line.empty() || line.size() > kGlobBytesMax ||
        line.find_first_of(std::string_view("\0\n", 2)) != std::string::npos) {
      return fail_invalid(field("ignore", i),
                          "an ignore rule is one line of a .gitignore file, of at most " +
                              std::to_string(kGlobBytesMax) + " bytes");
    }
  }
  if (spec.settle_ms < 0 || spec.settle_ms > kSettleMsMax) {
    return fail_invalid("settle_ms", "the settle time must be between 0 and " +
                                         std::to_string(kSettleMsMax) + " ms");
  }
  return {};
}

std::uint64_t fingerprint(const FileSpec& spec) {
  std::string text = spec.root + '\0';
  for (const std::string& glob : spec.globs) text += glob + '\0';
  text += '\0';
  for (const std::string& rule : spec.ignore) text += rule + '\0';
  text += spec.gitignore ? '1' : '0';
  return std::max<std::uint64_t>(fnv(text), 1);
}

FileFilter::FileFilter(FileSpec spec)
    : spec_(std::move(spec)), own_rules_(joined(spec_.ignore)), ignores_(own_rules_) {
  for (const std::string& text : spec_.globs) {
    if (auto glob = parse_glob(text)) globs_.push_back(std::move(*glob));
  }
}

bool FileFilter::matches(std::string_view path) const {
  return globs_.empty() ||
         std::ranges::any_of(globs_, [path](const Glob& glob) { return glob.matches(path); });
}

bool FileFilter::ignores_surely(std::string_view path, bool is_directory) const {
  return own_rules_.verdict(path, is_directory) == Verdict::ignored;
}

bool FileFilter::may_match_below(std::string_view directory) const {
  return globs_.empty() || std::ranges::any_of(globs_, [directory](const Glob& glob) {
           return glob.may_match_below(directory);
         });
}

}  // namespace drover::triggers
