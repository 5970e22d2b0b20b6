// An animal is a program that behaves as badly as programs do: it escapes by forking, ignores
// signals, floods its output, attacks its keeper. Each is one function, chosen by name:
//
//   zoo_animal NAME DEN [words]
//
// The den is a directory of the test. Every process of an animal signs the witness file there, so
// that the test can check, without relying on Drover, whether it is gone. The den's path is in
// every process's argv for the same purpose. No process lives longer than two minutes.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drover::zoo {

struct Den {
  std::string animal;
  std::string directory;
  std::vector<std::string> words;
  std::string program;  // This program's own path.

  std::string file(std::string_view name) const { return directory + "/" + std::string(name); }
};

struct Animal {
  std::string_view name;
  int (*live)(const Den&);  // Its exit code.
};

std::span<const Animal> escapers();   // Leave the process tree.
std::span<const Animal> breeders();   // Are many.
std::span<const Animal> talkers();    // Print.
std::span<const Animal> attackers();  // Attack their keepers.
std::span<const Animal> racers();     // Live short lives.
std::span<const Animal> shedding();   // Leave nothing to recognize them by.
std::span<const Animal> oddities();   // Do anything else that a process can do to itself.

// Signs the witness file, and sets the alarm that kills the process in the end.
void sign_witness(const Den& den);
// If the den has a file "lock", holds a shared lock on it. Every process that is forked or executed
// inherits it: the kernel releases it when the last one has exited or closed it.
void hold_lock(const Den& den);
void touch(const Den& den, std::string_view name);
void wait_for(const Den& den, std::string_view name);
[[noreturn]] void linger();
// A child that signs, does `work`, and exits without cleanup.
template <class Work>
pid_t give_birth(const Den& den, Work work);
// Executes this program again, as another animal, with this environment.
[[noreturn]] void become(const Den& den, const char* animal, char** environment);
void ignore_signals();  // Ignores every signal that can be ignored.
void pause_ms(int ms);
// Moves this process out of its cgroup, into the nearest one above it. Exits with 88 if it cannot.
// Does nothing in the topmost cgroup, and where there is no cgroup v2.
void emigrate();

}  // namespace drover::zoo

#include <unistd.h>

template <class Work>
pid_t drover::zoo::give_birth(const Den& den, Work work) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  sign_witness(den);
  work();
  ::_exit(0);
}
