// Animals that shed what the processes of a run are recognized by.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "tests/zoo/animal.h"
#include "tests/zoo/shed.h"

extern char** environ;

namespace drover::zoo {
namespace {

[[noreturn]] void shed(const Den& den, int what, const char* then) {
  if ((what & kShedsSession) != 0) ::setsid();
  if ((what & kShedsGroup) != 0) ::setpgid(0, 0);
  if ((what & kShedsOutput) != 0) {
    const int null = ::open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) ::dup2(null, fd);
    ::close(null);
  }
  std::array<char*, 1> nothing{};
  become(den, then, (what & kShedsEnvironment) != 0 ? nothing.data() : environ);
}

// The file appears with the whole pid in it.
void leave_pid(const Den& den, const std::string& name) {
  const std::string aside = den.file(name + ".new");
  std::FILE* file = std::fopen(aside.c_str(), "w");
  if (file == nullptr) ::_exit(95);
  std::fprintf(file, "%d", ::getpid());
  std::fclose(file);
  std::rename(aside.c_str(), den.file(name).c_str());
}

// One shedder for every combination, each with a child that sheds everything.
int shedders(const Den& den) {
  for (int what = 0; what <= kShedsEverything; ++what) {
    Den own = den;
    own.words = {std::to_string(what)};
    give_birth(own, [&] { shed(own, what, "shedder"); });
  }
  for (int what = 0; what <= kShedsEverything; ++what) {
    wait_for(den, std::to_string(what));
    wait_for(den, std::to_string(what) + "+");
  }
  touch(den, "ready");
  linger();
}

int shedder(const Den& den) {
  give_birth(den, [&] { shed(den, kShedsEverything, "shedder_child"); });
  leave_pid(den, den.words.at(0));
  linger();
}

int shedder_child(const Den& den) {
  leave_pid(den, den.words.at(0) + "+");
  linger();
}

constexpr auto kAll = std::to_array<Animal>({
    {"shedders", shedders},
    {"shedder", shedder},
    {"shedder_child", shedder_child},
});

}  // namespace

std::span<const Animal> shedding() {
  return kAll;
}

}  // namespace drover::zoo
