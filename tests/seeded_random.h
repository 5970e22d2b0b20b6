// SeededRandom makes the random decisions of a test: the same seed makes the same decisions. One
// thread.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace drover::tests {

class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}

  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  std::uint64_t seed() { return engine_(); }
  template <class Value>
  std::vector<Value> shuffled(std::vector<Value> all) {
    for (size_t i = all.size(); i > 1; --i) {
      std::swap(all[i - 1], all[static_cast<size_t>(below(static_cast<int>(i)))]);
    }
    return all;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace drover::tests
