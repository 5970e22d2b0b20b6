// Animals that print: too much, too fast, invalid bytes, nothing at all, or after their end.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/zoo/animal.h"

namespace drover::zoo {
namespace {

void print(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0) ::_exit(96);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

// Prints that many bytes, by repeating `piece`.
void print_much(size_t bytes, std::string_view piece) {
  std::string block;
  while (block.size() < (1U << 20)) block += piece;
  for (size_t n = 0; bytes > 0; bytes -= n) {
    n = std::min(bytes, block.size());
    print(1, std::string_view(block).substr(0, n));
  }
}

// `bytes` without a single newline.
int gigabyte(const Den& den) {
  print_much(std::strtoull(den.words.at(0).c_str(), nullptr, 10), "x");
  return 0;
}

// Short lines, as fast as possible: numbered, so that a lost or repeated one is visible.
int lines(const Den& den) {
  const long count = std::atol(den.words.at(0).c_str());
  std::string block;
  for (long i = 0; i < count; ++i) {
    char line[32];
    block.append(line, static_cast<size_t>(std::snprintf(line, sizeof line, "%08ld\n", i)));
    if (block.size() > 60'000 || i + 1 == count) {
      print(1, block);
      block.clear();
    }
  }
  return 0;
}

// Single bytes, to both streams in turn.
int bytewise(const Den& den) {
  const long count = std::atol(den.words.at(0).c_str());
  for (long i = 0; i < count; ++i) print(i % 2 == 0 ? 1 : 2, i % 2 == 0 ? "o" : "e");
  return 0;
}

// Everything that is not text: every byte, truncated sequences, a surrogate, a lone NUL at the end.
int not_text(const Den&) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  bytes += "\xc3(\xe2\x82\xf0\x9f\xed\xa0\x80\xff\xfe";
  bytes.push_back('\0');
  print(1, bytes);
  print(2, std::string("\0\xff\0", 3));
  return 0;
}

// Closes its output and keeps running.
int silent(const Den&) {
  print(1, "last words\n");
  ::close(1);
  ::close(2);
  pause_ms(100);
  return 5;
}

// Exits; its grandchild holds the pipe, prints once more on TERM, and exits later.
int pipe_holder(const Den& den) {
  give_birth(den, [&] {
    give_birth(den, [&] {
      ::setsid();
      ::signal(SIGTERM, [](int) {
        print(1, "after\n");
        ::_exit(0);
      });
      touch(den, "away");
      linger();
    });
  });
  wait_for(den, "away");
  print(1, "before\n");
  return 4;
}

// A grandchild that never stops printing and ignores signals.
int fountain(const Den& den) {
  give_birth(den, [&] {
    ::setsid();
    ignore_signals();
    touch(den, "away");
    while (true) print_much(1 << 20, "drop\n");
  });
  wait_for(den, "away");
  return 0;
}

// On TERM, prints a word and exits with 0.
int polite(const Den& den) {
  ::signal(SIGTERM, [](int) {
    print(1, "bye\n");
    ::_exit(0);
  });
  touch(den, "ready");
  linger();
}

constexpr auto kAll = std::to_array<Animal>({
    {"gigabyte", gigabyte},
    {"lines", lines},
    {"bytewise", bytewise},
    {"not_text", not_text},
    {"silent", silent},
    {"pipe_holder", pipe_holder},
    {"fountain", fountain},
    {"polite", polite},
});

}  // namespace

std::span<const Animal> talkers() {
  return kAll;
}

}  // namespace drover::zoo
