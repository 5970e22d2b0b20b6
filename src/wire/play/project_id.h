// A project's id is its name for programs: it is part of URLs, scopes and file names. Pure. The
// daemon and the command line share it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace drover::wire::play {

inline constexpr size_t kProjectIdBytesMax = 64;  // Half a line of a table.

constexpr bool is_project_id_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

constexpr bool is_project_id(std::string_view text) {
  return !text.empty() && text.size() <= kProjectIdBytesMax && text.front() != '.' &&
         text.front() != '-' && std::ranges::all_of(text, is_project_id_letter);
}

// The nearest valid id to a person's name for the project: "My Game!" becomes "my-game".
inline std::string project_id_like(std::string_view name) {
  std::string id;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (is_project_id_letter(c)) {
      id += c;
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  id.erase(0, std::min(id.find_first_not_of(".-"), id.size()));
  id.resize(std::min(id.size(), kProjectIdBytesMax));
  while (id.ends_with('-')) id.pop_back();
  return id.empty() ? "my-project" : id;
}

}  // namespace drover::wire::play
