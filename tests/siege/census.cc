#include "tests/siege/census.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/zoo/witness.h"

namespace drover::siege {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string describe(const fs::path& process) {
  std::string line = text_of(process / "cmdline");
  for (char& c : line) c = c == '\0' ? ' ' : c;
  return process.filename().string() + " " + line.substr(0, 200);
}

template <class Each>
void for_each_process(Each each) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && pid != ::getpid()) each(entry.path());
  }
}

// The processes of a cgroup and the cgroups in it.
void add_members(const fs::path& cgroup, std::vector<std::string>& found) {
  std::error_code gone;
  std::ifstream file(cgroup / "cgroup.procs");
  for (std::string pid; file >> pid;) found.push_back(describe(fs::path("/proc") / pid));
  for (const auto& entry : fs::directory_iterator(cgroup, gone)) {
    if (entry.is_directory(gone)) add_members(entry.path(), found);
  }
}

}  // namespace

Census::Census(std::string dens, std::string home)
    : dens_(std::move(dens)), home_(std::move(home)) {
  fs::create_directory(dens_);
  for (const char* root : {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"}) {
    const std::string cgroup = std::string(root) + "/drover-siege-" + std::to_string(::getpid());
    if (!cgroup_.empty() || ::mkdir(cgroup.c_str(), 0755) != 0) continue;
    if (fs::exists(cgroup + "/cgroup.events")) cgroup_ = cgroup;
    if (cgroup_.empty()) ::rmdir(cgroup.c_str());
  }
}

Census::~Census() {
  if (cgroup_.empty()) return;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(cgroup_, gone)) {
    if (entry.is_directory(gone)) ::rmdir(entry.path().c_str());
  }
  ::rmdir(cgroup_.c_str());
}

std::string Census::plant_den() {
  std::string den = dens_ + "/" + std::to_string(next_++) + "_";
  fs::create_directory(den);
  return den;
}

std::vector<std::string> Census::alive_in(const std::string& den) {
  return zoo::AnimalWitness(den).alive();
}

std::vector<std::string> Census::alive() const {
  std::vector<std::string> found;
  for (const auto& den : fs::directory_iterator(dens_)) {
    for (const std::string& one : zoo::AnimalWitness(den.path()).alive_signers())
      found.push_back(one);
  }
  for_each_process([&](const fs::path& process) {
    if (text_of(process / "cmdline").find(dens_) != std::string::npos) {
      found.push_back(describe(process));
    }
  });
  if (!cgroup_.empty()) add_members(cgroup_, found);
  return found;
}

std::vector<std::string> Census::alive_with_home() const {
  std::vector<std::string> found;
  const std::string mark = "DROVER_HOME=" + home_;
  for_each_process([&](const fs::path& process) {
    const std::string environment = '\0' + text_of(process / "environ");
    if (environment.find('\0' + mark + '\0') != std::string::npos) {
      found.push_back(describe(process));
    }
  });
  return found;
}

}  // namespace drover::siege
