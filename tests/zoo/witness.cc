#include "tests/zoo/witness.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace drover::zoo {
namespace {

struct Look {
  std::string name;
  char state = '?';
  long threads = 0;
  unsigned long long start = 0;

  // A process whose main thread has exited looks like a zombie, but its other threads run.
  bool is_alive() const { return (state != 'Z' && state != 'X') || threads > 1; }
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::optional<Look> look_at(pid_t pid) {
  const std::string text = text_of("/proc/" + std::to_string(pid) + "/stat");
  const size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  Look look{.name = text.substr(open + 1, close - open - 1)};
  std::istringstream rest(text.substr(close + 1));
  rest >> look.state;
  std::string ignored;
  for (int field = 4; field < 20; ++field) rest >> ignored;
  rest >> look.threads >> ignored >> look.start;
  return rest ? std::optional(look) : std::nullopt;
}

std::string describe(pid_t pid, const Look& look) {
  return std::to_string(pid) + " (" + look.name + ") " + look.state;
}

}  // namespace

std::set<pid_t> AnimalWitness::seen() const {
  std::set<pid_t> pids;
  std::ifstream file(den_ + "/witness");
  pid_t pid = 0;
  unsigned long long start = 0;
  while (file >> pid >> start) pids.insert(pid);
  return pids;
}

std::set<std::string> AnimalWitness::alive_signers() const {
  std::set<std::string> found;
  std::ifstream file(den_ + "/witness");
  pid_t pid = 0;
  unsigned long long start = 0;
  while (file >> pid >> start) {
    const auto look = look_at(pid);
    if (look && look->start == start && look->is_alive()) found.insert(describe(pid, *look));
  }
  return found;
}

std::vector<std::string> AnimalWitness::alive() const {
  std::set<std::string> found = alive_signers();
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const int other = std::atoi(entry.path().filename().c_str());
    if (other == 0 || text_of(entry.path() / "cmdline").find(den_) == std::string::npos) continue;
    const auto look = look_at(other);
    if (look && look->is_alive()) found.insert(describe(other, *look));
  }
  return {found.begin(), found.end()};
}

}  // namespace drover::zoo
