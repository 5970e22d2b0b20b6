#include "tests/zoo/animal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace drover::zoo {

// Writes the pid as seen from outside, and the start time that makes it unique. Both come from
// /proc, so that a process in its own namespace is named correctly, too.
void sign_witness(const Den& den) {
  ::alarm(120);
  char stat[1024] = {};
  const int in = ::open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  const ssize_t n = ::read(in, stat, sizeof stat - 1);
  ::close(in);
  const char* at = n > 0 ? std::strrchr(stat, ')') : nullptr;
  for (int field = 2; at != nullptr && field < 22; ++field) at = std::strchr(at + 1, ' ');
  if (at == nullptr) ::_exit(90);
  char line[64];
  const int length = std::snprintf(line, sizeof line, "%d %s\n", std::atoi(stat),
                                   std::to_string(std::strtoull(at, nullptr, 10)).c_str());
  const int out =
      ::open(den.file("witness").c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (out < 0 || ::write(out, line, static_cast<size_t>(length)) != length) ::_exit(91);
  ::close(out);
}

void touch(const Den& den, std::string_view name) {
  ::close(::open(den.file(name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
}

void pause_ms(int ms) {
  const timespec time{.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1'000'000L};
  ::nanosleep(&time, nullptr);
}

void wait_for(const Den& den, std::string_view name) {
  struct stat st{};
  while (::stat(den.file(name).c_str(), &st) != 0) pause_ms(1);
}

void linger() {
  while (true) ::pause();
}

void ignore_signals() {
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGALRM && number != SIGCHLD) ::signal(number, SIG_IGN);
  }
}

void become(const Den& den, const char* animal, char** environment) {
  std::vector<std::string> words{den.program, animal, den.directory};
  words.insert(words.end(), den.words.begin(), den.words.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execve(den.program.c_str(), argv.data(), environment);
  ::_exit(92);
}

}  // namespace drover::zoo

int main(int argc, char** argv) {
  using namespace drover::zoo;
  if (argc < 3) return 93;
  const Den den{argv[1], argv[2], {argv + 3, argv + argc}, argv[0]};
  sign_witness(den);
  for (const auto& kind :
       {escapers(), breeders(), talkers(), attackers(), racers(), shedding(), oddities()}) {
    for (const Animal& animal : kind) {
      if (animal.name == den.animal) return animal.live(den);
    }
  }
  std::fprintf(stderr, "there is no animal %s\n", argv[1]);
  return 94;
}
