#include "run/value_search.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <ranges>

namespace drover::run {
namespace {

using List = std::vector<std::string>;

std::string show(std::string_view text, const List& values) {
  std::string out;
  size_t shown = 0;
  for (const ValueSearch::Found& found : ValueSearch(values).find(text)) {
    out.append(text.substr(shown, found.begin - shown)).append("#");
    shown = found.end;
  }
  return out.append(text.substr(shown));
}

// Values are found wherever they stand, also within and across each other, and in any bytes.
TEST(ValueSearch, FindsEveryValue) {
  EXPECT_EQ(show("nothing", {}), "nothing");
  EXPECT_EQ(show("", {"x1y2"}), "");
  EXPECT_EQ(show("x1y2x1y2-x1y", {"x1y2"}), "##-x1y");
  EXPECT_EQ(show("ax1y2z3w4b", {"x1y2", "y2z3", "z3w4"}), "a#b");
  EXPECT_EQ(show("-1aXbX2-", {"1aXbX2", "XbX3", "aXbX"}), "-#-");
  EXPECT_EQ(show("1aXbX3", {"1aXbX2", "XbX3"}), "1a#");
  EXPECT_EQ(show(std::string_view("a\0\xff\xfe\x01z", 6), {std::string("\0\xff\xfe\x01", 4)}),
            "a#z");
}

// A short word is found only where it stands alone, also at the end of a value that has begun.
TEST(ValueSearch, FindsShortWordsAlone) {
  EXPECT_EQ(show("fish fisher sfish -fish-", {"fish"}), "# fisher sfish -#-");
  EXPECT_EQ(show("sword-fish", {"fish", "sword-fishing"}), "sword-#");
  EXPECT_EQ(show("a-12345678", {"12345678", "5678"}), "a-#");
}

// The search finds what a comparison at every place finds.
RC_GTEST_PROP(ValueSearch, FindsWhatComparingFinds, ()) {
  const auto letter = rc::gen::element('a', '1', '.');
  const auto text = *rc::gen::container<std::string>(letter);
  auto values = *rc::gen::container<List>(
      rc::gen::suchThat(rc::gen::container<std::string>(letter),
                        [](const std::string& value) { return !value.empty(); }));
  // Words of letters or digits alone are found under a condition of their own.
  std::erase_if(values, [](const std::string& value) {
    return value.find_first_not_of('a') == value.npos || value.find_first_not_of('1') == value.npos;
  });
  std::ranges::sort(values);
  const auto twice = std::ranges::unique(values);
  values.erase(twice.begin(), twice.end());

  std::vector<bool> want(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    for (const std::string& value : values) {
      if (!std::string_view(text).substr(at).starts_with(value)) continue;
      for (size_t i = 0; i < value.size(); ++i) want[at + i] = true;
    }
  }
  std::vector<bool> got(text.size());
  for (const auto& [begin, end] : ValueSearch(values).find(text)) {
    for (size_t at = begin; at < end; ++at) got[at] = true;
  }
  RC_ASSERT(got == want);
}

// Linear: however often values and texts repeat themselves, each byte costs a few steps. The values
// are the worst that one request can have.
TEST(ValueSearch, IsLinear) {
  const std::string text(128 * 1024, 'a');
  List numbered;
  for (int i = 0; i < 8192; ++i) numbered.push_back(std::string(240, 'a') + std::to_string(i));
  List nested;
  for (size_t length = 8; length < 2'000; ++length) nested.push_back(std::string(length, 'a'));
  List long_ones;
  for (int i = 0; i < 16; ++i) {
    long_ones.push_back(std::string(64 * 1024, 'a') + std::to_string(i));
    long_ones.push_back(std::string(64 * 1024, 'a') + "b" + std::to_string(i));
  }
  for (List values : {numbered, nested, long_ones}) {
    std::ranges::sort(values);
    size_t bytes = 0;
    for (const std::string& value : values) bytes += value.size();
    const ValueSearch search(values);
    EXPECT_LE(search.steps(), 2 * bytes);
    size_t steps = 0;
    search.find(text, &steps);
    EXPECT_LE(steps, 2 * text.size());
  }
}

}  // namespace
}  // namespace drover::run
