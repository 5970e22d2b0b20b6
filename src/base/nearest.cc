#include "base/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace drover {
namespace {

// The number of letters to change, insert, delete or swap to turn `a` into `b`.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view typed, std::span<const std::string> known) {
  constexpr size_t kBytesMax = 32;  // Longer words are not typing errors.
  if (typed.empty() || typed.size() > kBytesMax) return "";
  std::string best;
  size_t least = 0;
  for (const std::string& one : known) {
    const bool begun = typed.size() > 2 && one.starts_with(typed);
    const size_t d = begun ? 1 : distance(typed, one);
    // Allow one error per three letters: with more, `edit` would suggest `wait`. Words of two
    // letters get no suggestion: `at` could be anything.
    const size_t letters = std::min(typed.size(), one.size());
    const size_t most = letters < 3 ? 0 : std::max<size_t>(1, letters / 3);
    if (d > most || (!best.empty() && d >= least)) continue;
    least = d;
    best = one;
  }
  return best;
}

}  // namespace drover
