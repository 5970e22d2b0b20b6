// The Census is an independent reader: it says what lives, and knows only what it planted. It
// plants dens (every hostile process signs a file there, and has its path in its command line), a
// cgroup for all runs, and a name in the environment of every program of the siege. It reads /proc
// and the cgroup itself; nothing that Drover wrote.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace drover::siege {

class Census {
 public:
  // `dens` is a directory that does not exist yet; `home` is the DROVER_HOME of the daemon.
  Census(std::string dens, std::string home);
  ~Census();
  Census(const Census&) = delete;
  Census& operator=(const Census&) = delete;

  // A new, empty den. Any thread.
  std::string plant_den();
  // The planted cgroup; empty where none can be created.
  const std::string& cgroup() const { return cgroup_; }

  // The living processes of one den, as "4711 (name) S".
  static std::vector<std::string> alive_in(const std::string& den);
  // All processes that carry a mark of any den, or are in the planted cgroup.
  std::vector<std::string> alive() const;
  // All processes with the planted home: the programs and the runs.
  std::vector<std::string> alive_with_home() const;

 private:
  std::string dens_, home_, cgroup_;
  std::atomic<int> next_ = 0;
};

}  // namespace drover::siege
