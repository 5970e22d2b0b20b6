#include "process/marks.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/fd.h"
#include "base/limits.h"
#include "process/cgroup_place.h"
#include "process/fork_count.h"

namespace drover::process {
namespace {

using Pids = std::unordered_set<std::int32_t>;

// The entries of a process in /proc. A process whose first thread has exited has them with its
// other threads.
std::string place_of(const Member& member) {
  const std::string process = "/proc/" + std::to_string(member.ref.pid);
  if (member.stat.threads <= 1) return process;
  DIR* threads = ::opendir((process + "/task").c_str());
  if (threads == nullptr) return process;
  std::string found = process;
  while (const dirent* entry = ::readdir(threads)) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    const std::string thread = process + "/task/" + entry->d_name;
    const Fd file = open_file(thread + "/environ", O_RDONLY | O_CLOEXEC);
    char byte = 0;
    if (!file || ::read(file.get(), &byte, 1) != 1) continue;
    found = thread;
    break;
  }
  ::closedir(threads);
  return found;
}

std::optional<std::string> variable_of(const std::string& place, std::string_view name) {
  const auto environment = read_file(place + "/environ", 4 * limits::kSpecBytesMax);
  if (!environment) return std::nullopt;
  const std::string wanted = '\0' + std::string(name) + '=';
  const std::string text = '\0' + *environment;
  const size_t at = text.find(wanted);
  if (at == std::string::npos) return std::nullopt;
  return text.c_str() + at + wanted.size();
}

bool is_pty(const MarksRecord& record) {
  return record.made_ns != 0;
}

class Finder {
 public:
  Finder(const MarkSearch& search, const ProcessTable& table) : search_(search), table_(table) {
    for (const Marks& marks : search.marks) {
      by_value_.emplace(marks.value, &marks);
      if (marks.record.cgroup != 0) by_cgroup_.emplace(marks.record.cgroup, &marks);
      if (marks.command == 0 || marks.record.last_ticks == 0) continue;
      if (is_of(marks)) by_session_.emplace(marks.command, &marks);
      for (const std::uint64_t inode : marks.record.output) {
        if (inode != 0) by_output_.emplace(inode, &marks);
      }
    }
    spare();
  }

  std::vector<MarkedProcess> find() {
    std::vector<MarkedProcess> found;
    Pids taken = spared_;
    for (const auto& [pid, member] : table_.all()) {
      if (spared_.contains(pid) || is_zombie(member.stat)) continue;
      if (auto one = recognize(member)) {
        taken.insert(pid);
        found.push_back(std::move(*one));
      }
    }
    for (size_t i = 0, direct = found.size(); i < direct; ++i) {
      for (const Member& below : table_.below(found[i].member.ref.pid, spared_)) {
        if (taken.insert(below.ref.pid).second) {
          found.push_back({below, found[i].value, Sign::below});
        }
      }
    }
    return found;
  }

 private:
  void spare() {
    spared_.insert(search_.spared_processes.begin(), search_.spared_processes.end());
    std::int32_t pid = ::getpid();
    for (const Member* self = table_.find(pid); self != nullptr && adopters_.insert(pid).second;
         self = table_.find(pid)) {
      spared_.insert(pid);
      pid = self->stat.parent;
    }
    adopters_.insert(1);
    const Pids sessions(search_.spared_sessions.begin(), search_.spared_sessions.end());
    for (const auto& [process, member] : table_.all()) {
      if (sessions.contains(member.stat.session)) spared_.insert(process);
    }
  }

  // Whether the session with the command's number is the command's. The number stays taken as long
  // as the session has a process; but once it had none, it may be another session's.
  bool is_of(const Marks& marks) {
    if (const Member* leader = table_.find(marks.command)) {
      return leader->ref.start_ticks >= marks.record.first_ticks &&
             leader->ref.start_ticks <= marks.record.last_ticks;
    }
    return !may_be_reused(marks.record.forks);
  }

  std::optional<MarkedProcess> recognize(const Member& member) const {
    const std::string place = place_of(member);
    if (const auto value = variable_of(place, search_.variable)) {
      if (search_.any_value || by_value_.contains(*value)) {
        return MarkedProcess{member, *value, Sign::environment};
      }
    }
    const auto session = by_session_.find(member.stat.session);
    if (session != by_session_.end() && is_younger(member, *session->second)) {
      return MarkedProcess{member, session->second->value, Sign::session};
    }
    if (const Marks* marks = cgroup_of(member, place)) {
      return MarkedProcess{member, marks->value, Sign::cgroup};
    }
    if (by_output_.empty() || !is_own(place)) return std::nullopt;
    if (!search_.any_parent && !has_lost_its_parent(member)) return std::nullopt;
    const Marks* marks = output_of(member, place);
    if (marks == nullptr) return std::nullopt;
    return MarkedProcess{member, marks->value, Sign::output};
  }

  static bool is_younger(const Member& member, const Marks& marks) {
    return member.ref.start_ticks >= marks.record.first_ticks;
  }

  // The command whose cgroup, or a group below it, the process is in. Null: none.
  const Marks* cgroup_of(const Member& member, const std::string& place) const {
    if (by_cgroup_.empty()) return nullptr;
    const auto found = by_cgroup_.find(cgroup_id_of(place));
    return found != by_cgroup_.end() && is_younger(member, *found->second) ? found->second
                                                                           : nullptr;
  }

  // The orphans of a dead daemon go to init, or to a subreaper that is above this daemon, too.
  bool has_lost_its_parent(const Member& member) const {
    return adopters_.contains(member.stat.parent) || table_.find(member.stat.parent) == nullptr;
  }

  static bool is_own(const std::string& place) {
    struct stat info{};
    return ::stat(place.c_str(), &info) == 0 && info.st_uid == ::geteuid();
  }

  // The command whose output is the standard output or error of the process. Null: none. A
  // descriptor that was passed to a process has another number.
  const Marks* output_of(const Member& member, const std::string& place) const {
    for (const char* descriptor : {"/fd/1", "/fd/2"}) {
      const Marks* marks = marks_behind(place + descriptor);
      if (marks != nullptr && is_younger(member, *marks)) return marks;
    }
    return nullptr;
  }

  const Marks* marks_behind(const std::string& descriptor) const {
    char link[256];
    const ssize_t n = ::readlink(descriptor.c_str(), link, sizeof link - 1);
    if (n <= 0) return nullptr;
    link[n] = '\0';
    // Other files are not looked at: that may block, for a file of a lost server.
    const bool pipe = std::strncmp(link, "pipe:[", 6) == 0;
    const char* last = std::strrchr(link, '/');
    if (!pipe && (last == nullptr || std::isdigit(static_cast<unsigned char>(last[1])) == 0)) {
      return nullptr;
    }
    if (pipe && !by_output_.contains(std::strtoull(link + 6, nullptr, 10))) return nullptr;
    struct stat mode{}, info{};
    // The link's own mode says how the file was opened.
    if (::lstat(descriptor.c_str(), &mode) != 0 || (mode.st_mode & S_IWUSR) == 0 ||
        ::stat(descriptor.c_str(), &info) != 0) {
      return nullptr;
    }
    const auto [begin, end] = by_output_.equal_range(info.st_ino);
    for (auto it = begin; it != end; ++it) {
      const MarksRecord& record = it->second->record;
      const std::int64_t made = info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec;
      if (record.device == info.st_dev && (!is_pty(record) || record.made_ns == made)) {
        return it->second;
      }
    }
    return nullptr;
  }

  const MarkSearch& search_;
  const ProcessTable& table_;
  Pids spared_;
  Pids adopters_;  // Init, this process and its ancestors: they may get orphans.
  std::unordered_map<std::string, const Marks*> by_value_;
  std::unordered_map<std::int32_t, const Marks*> by_session_;
  std::unordered_multimap<std::uint64_t, const Marks*> by_output_;
  std::unordered_map<std::uint64_t, const Marks*> by_cgroup_;
};

}  // namespace

Marks marks_of(std::string value, const JournalText& journal) {
  Marks marks{.value = std::move(value)};
  if (journal.started && journal.marks) {
    marks.command = journal.started->command.pid;
    marks.record = *journal.marks;
    // Another boot has given the number to another cgroup.
    const bool is_of_this_boot =
        journal.identity && std::string_view(journal.identity->boot_id) == boot_id().text;
    if (!is_of_this_boot) marks.record.cgroup = 0;
  }
  return marks;
}

std::string_view name(Sign sign) {
  switch (sign) {
    case Sign::environment:
      return "has its environment";
    case Sign::session:
      return "is in its process session";
    case Sign::output:
      return "writes to its output";
    case Sign::cgroup:
      return "is in its cgroup";
    case Sign::below:
      return "was started by a process of it";
  }
  return "";
}

std::vector<MarkedProcess> find_marked(const MarkSearch& search, const ProcessTable& table) {
  return Finder(search, table).find();
}

std::vector<std::pair<Member, std::string>> marked_by_name(std::string_view variable) {
  std::vector<std::pair<Member, std::string>> all;
  for (MarkedProcess& found : find_marked({.variable = variable, .marks = {}, .any_value = true})) {
    if (found.sign == Sign::environment) all.emplace_back(found.member, std::move(found.value));
  }
  return all;
}

}  // namespace drover::process
