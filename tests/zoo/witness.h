// A witness says which processes of an animal are still there. It believes nothing that Drover
// wrote: it reads what each process signed when it was born, and every command line there is.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

namespace drover::zoo {

class Witness {
 public:
  // `den` is the directory the animal was given.
  explicit Witness(std::string den) : den_(std::move(den)) {}

  // All that ever signed.
  std::set<pid_t> seen() const;
  // Those of them, and of all whose command line names the den, that live now: "4711 (name) S".
  std::vector<std::string> alive() const;

 private:
  std::string den_;
};

}  // namespace drover::zoo
