#include "triggers/files/ignore.h"

#include <optional>
#include <ranges>

namespace drover::triggers {
namespace {

// Spaces at the end do not count, unless a backslash stands before them.
std::string_view without_spaces(std::string_view line) {
  size_t length = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) ++i;
    if (line[i] != ' ' || (i > 0 && line[i - 1] == '\\')) length = i + 1;
  }
  return line.substr(0, length);
}

std::optional<IgnoreRule> parse_rule(std::string_view line) {
  if (line.starts_with('#')) return std::nullopt;
  line = without_spaces(line);
  const bool includes = line.starts_with('!');
  if (includes) line.remove_prefix(1);
  const bool directories_only = line.ends_with('/');
  if (directories_only) line.remove_suffix(1);
  const bool any_level = line.find('/') == std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty()) return std::nullopt;
  return IgnoreRule{.pattern = PathPattern(line, PatternUnit::byte),
                    .includes = includes,
                    .directories_only = directories_only,
                    .any_level = any_level};
}

const IgnoreRules& built_in() {
  static const IgnoreRules rules(kBuiltInIgnores);
  return rules;
}

}  // namespace

IgnoreRules::IgnoreRules(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // A byte order mark.
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = line.substr(0, line.find('\0'));
    if (auto rule = parse_rule(line)) rules_.push_back(std::move(*rule));
  }
}

Verdict IgnoreRules::verdict(std::string_view path, bool is_directory) const {
  const size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  for (const IgnoreRule& rule : std::views::reverse(rules_)) {
    if (rule.directories_only && !is_directory) continue;
    if (!rule.pattern.matches(rule.any_level ? name : path)) continue;
    return rule.includes ? Verdict::included : Verdict::ignored;
  }
  return Verdict::none;
}

IgnoreScope::IgnoreScope(IgnoreRules of_trigger)
    : of_trigger_(std::make_shared<const IgnoreRules>(std::move(of_trigger))) {}

IgnoreScope IgnoreScope::with_file_above(std::string above, IgnoreRules rules) const {
  IgnoreScope out = *this;
  out.files_ = std::make_shared<const File>(File{files_, std::move(above), {}, std::move(rules)});
  return out;
}

IgnoreScope IgnoreScope::with_file(std::string directory, IgnoreRules rules) const {
  IgnoreScope out = *this;
  out.files_ =
      std::make_shared<const File>(File{files_, {}, std::move(directory), std::move(rules)});
  return out;
}

bool IgnoreScope::ignores(std::string_view path, bool is_directory) const {
  Verdict verdict = of_trigger_->verdict(path, is_directory);
  for (const File* file = files_.get(); file != nullptr && verdict == Verdict::none;
       file = file->up.get()) {
    const size_t behind = file->directory.empty() ? 0 : file->directory.size() + 1;
    const std::string_view below = path.substr(std::min(behind, path.size()));
    verdict = file->above.empty()
                  ? file->rules.verdict(below, is_directory)
                  : file->rules.verdict(file->above + std::string(below), is_directory);
  }
  if (verdict == Verdict::none) verdict = built_in().verdict(path, is_directory);
  return verdict == Verdict::ignored;
}

}  // namespace drover::triggers
