#include "triggers/time/similar_names.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace drover::triggers {
namespace {

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c != '_' && c != ' ') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

// How many letters must be inserted, deleted or replaced to turn one name into the other.
size_t edits(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> similar_names(std::string_view text, std::span<const std::string> known) {
  constexpr size_t kMost = 3;
  const std::string wanted = plain(text);
  const size_t edits_max = std::max<size_t>(1, wanted.size() / 3);
  std::vector<std::pair<size_t, std::string>> found;
  for (const std::string& name : known) {
    const std::string whole = plain(name);
    const std::string part = whole.substr(whole.rfind('/') + 1);
    const size_t distance = std::min(edits(wanted, whole), edits(wanted, part));
    if (distance <= edits_max) found.emplace_back(distance, name);
  }
  std::ranges::sort(found);
  std::vector<std::string> out;
  for (const auto& [distance, name] : found) {
    if (out.size() == kMost || distance > found.front().first + 1) break;
    out.push_back(name);
  }
  return out;
}

}  // namespace drover::triggers
