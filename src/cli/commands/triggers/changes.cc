#include "cli/commands/triggers/changes.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/fields.h"

namespace drover::cli {
namespace {

using boost::json::object;

// Fields whose option or word in `trigger show` is another one.
constexpr auto kWords =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"tz", "time zone"},
                                                                  {"cwd", "directory"},
                                                                  {"shell", "script"},
                                                                  {"type", "source"},
                                                                  {"globs", "files"}});

std::string word_for(std::string_view field) {
  const auto* found =
      std::ranges::find(kWords, field, &std::pair<std::string_view, std::string_view>::first);
  std::string out(found == kWords.end() ? field : found->second);
  std::ranges::replace(out, '_', ' ');
  return out;
}

void compare(const object& before, const object& after, std::vector<std::string>& out) {
  std::set<std::string_view> fields;
  for (const object* one : {&before, &after}) {
    for (const auto& [field, value] : *one) fields.insert(field);
  }
  for (const std::string_view field : fields) {
    const boost::json::value* was = before.if_contains(field);
    const boost::json::value* is = after.if_contains(field);
    if (was == nullptr || is == nullptr || *was != *is) out.push_back(word_for(field));
  }
}

}  // namespace

std::string say_changes(const object& before, const object& after) {
  std::vector<std::string> words;
  compare(object_in(before, "source"), object_in(after, "source"), words);
  object policies[2];
  for (const char* field : {"missed", "missed_window", "jitter", "overlap", "filters", "dedup"}) {
    if (before.contains(field)) policies[0][field] = before.at(field);
    if (after.contains(field)) policies[1][field] = after.at(field);
  }
  compare(policies[0], policies[1], words);
  compare(object_in(before, "run"), object_in(after, "run"), words);
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace drover::cli
