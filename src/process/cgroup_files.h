// The files of a cgroup: reading, writing, and removing a cgroup with everything in it.
#pragma once

#include <string>
#include <string_view>

namespace drover::process {

bool write_text(const std::string& path, std::string_view text);
std::string read_text(const std::string& path);  // Empty if it cannot be read.

template <class Each>
void for_each_word(std::string_view text, Each each) {
  while (true) {
    const size_t begin = text.find_first_not_of(" \n\t");
    if (begin == std::string_view::npos) return;
    const size_t end = std::min(text.find_first_of(" \n\t", begin), text.size());
    each(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

// The number after `name` in lines of "name 123"; 0 if there is none.
std::uint64_t number_of(std::string_view text, std::string_view name);

// Removes a cgroup and the groups that a command created in it. False: there are processes in it.
bool remove_groups(const std::string& directory, int depth = 0);

// The same, and kills these processes. A process may take a moment to exit: try again.
bool remove_or_kill(const std::string& directory);

// The same, and waits for at most a tenth of a second. The next daemon removes the rest.
void kill_and_remove(const std::string& directory);

}  // namespace drover::process
