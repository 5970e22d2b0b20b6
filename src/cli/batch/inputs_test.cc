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

// S1: lines are inputs; an empty line is an empty one, and the last needs no newline.
TEST(Inputs, LinesAsTheyStand) {
  Inputs inputs('\n');
  inputs.feed("a b\n\n 'c'\r\nd");
  inputs.end();
  EXPECT_EQ(all_of(inputs), (std::vector<std::string>{"a b", "", " 'c'\r", "d"}));
  EXPECT_EQ(inputs.known(), 4U);
}

// S1: whatever the pieces are and however the text is cut, the same pieces come out.
TEST(Inputs, EveryByteAndEveryCut) {
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

// S1: an endless producer is held up, also one that says nothing; it goes on once some are taken.
TEST(Inputs, NoMoreThanTheLimitIsHeld) {
  for (const std::string& piece : {std::string(1 << 16, 'x') + "\n", std::string(1 << 20, '\n')}) {
    Inputs inputs('\n');
    size_t fed = 0;
    while (inputs.wants_more()) inputs.feed(piece), fed += piece.size();
    EXPECT_LE(fed, limits::kInputsAheadBytes + piece.size());
    (void)all_of(inputs);
    EXPECT_TRUE(inputs.wants_more());
    inputs.end();
    EXPECT_FALSE(inputs.wants_more());
  }
}

// S1: a producer that never ends its input cannot fill our memory, and the next one is whole.
TEST(Inputs, AnEndlessInputIsBounded) {
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
