// An AnimalWitness says which processes of an animal are still alive. It does not rely on anything
// that Drover wrote: it reads what each process signed at its start, and every command line on the
// machine.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

namespace drover::zoo {

class AnimalWitness {
 public:
  // `den` is the animal's directory.
  explicit AnimalWitness(std::string den) : den_(std::move(den)) {}

  // All that ever signed.
  std::set<pid_t> seen() const;
  // The living ones among them: "4711 (name) S".
  std::set<std::string> alive_signers() const;
  // The same, and all processes whose command line names the den.
  std::vector<std::string> alive() const;

 private:
  std::string den_;
};

}  // namespace drover::zoo
