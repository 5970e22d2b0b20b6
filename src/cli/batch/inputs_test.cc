#include "cli/batch/inputs.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "base/limits.h"

namespace drover::cli {
namespace {

std::vector<std::string> all_of(Inputs& inputs) {
  std::vector<std::string> out;
  while (auto piece = inputs.take()) out.push_back(std::move(*piece));
  return out;
}

// S1: each line is an input, empty lines are skipped, and the last line needs no newline.
TEST(Inputs, EveryLineIsAnInput) {
  Inputs inputs('\n');
  inputs.feed("a b\n\n 'c'\r\nd");
  inputs.end();
  EXPECT_EQ(all_of(inputs), (std::vector<std::string>{"a b", " 'c'\r", "d"}));
  EXPECT_EQ(inputs.known(), 3U);
}

// S1: between NULs, an empty input counts.
TEST(Inputs, EmptyInputsCountBetweenNuls) {
  Inputs inputs('\0');
  inputs.feed(std::string_view("a\0\0b\0", 5));
  inputs.end();
  EXPECT_EQ(all_of(inputs), (std::vector<std::string>{"a", "", "b"}));
}

// S1: any bytes, split anywhere, give the same inputs.
TEST(Inputs, AnySplitGivesTheSameInputs) {
  const bool holds = rc::check([](std::vector<std::string> pieces, std::vector<std::uint8_t> cuts) {
    std::string text;
    for (std::string& piece : pieces) {
      std::erase(piece, '\0');
      text += piece + '\0';
    }
    Inputs inputs('\0');
    std::string_view rest = text;
    for (const std::uint8_t cut : cuts) {
      inputs.feed(rest.substr(0, cut));
      rest.remove_prefix(std::min<size_t>(cut, rest.size()));
    }
    inputs.feed(rest);
    inputs.end();
    RC_ASSERT(all_of(inputs) == pieces);
  });
  EXPECT_TRUE(holds);
}

// S1: an endless source is paused at the limit, even if all its inputs are empty, and continues
// once inputs are taken.
TEST(Inputs, BuffersNoMoreThanTheLimit) {
  for (const std::string& piece :
       {std::string(1 << 16, 'x') + std::string(1, '\0'), std::string(1 << 20, '\0')}) {
    Inputs inputs('\0');
    size_t fed = 0;
    while (inputs.wants_more()) inputs.feed(piece), fed += piece.size();
    EXPECT_LE(fed, limits::kInputsAheadBytes + piece.size());
    (void)all_of(inputs);
    EXPECT_TRUE(inputs.wants_more());
    inputs.end();
    EXPECT_FALSE(inputs.wants_more());
  }
}

// S1: one endless input uses bounded memory, and the input after it is complete.
TEST(Inputs, BoundsAnEndlessInput) {
  Inputs inputs('\n');
  for (int i = 0; i < 100; ++i) inputs.feed(std::string(1 << 16, 'x'));
  inputs.feed("x\nnext\n" + std::string(limits::kArgumentBytesMax, 'y'));
  inputs.end();
  EXPECT_EQ(all_of(inputs),
            (std::vector<std::string>{std::string(limits::kArgumentBytesMax + 1, 'x'), "next",
                                      std::string(limits::kArgumentBytesMax, 'y')}));
}

}  // namespace
}  // namespace drover::cli
