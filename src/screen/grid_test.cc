// The Grid behaves like libvterm's own screen, which it replaces.
#include "screen/grid.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "screen/emulator.h"
#include "screen/screen.h"
#include "screen/style.h"

namespace drover::screen {
namespace {

constexpr TerminalSize kSize{.rows = 6, .columns = 12};

std::string text_of(std::uint32_t letter, const Pen& pen, int width) {
  return std::to_string(letter) + Style(pen).sequence().substr(1) + (width == 2 ? "w " : " ");
}

std::string cells_of(const Emulator& emulator) {
  const Grid& grid = emulator.grid();
  std::string out;
  for (int row = 0; row < grid.rows(); ++row) {
    for (int column = 0; column < grid.columns(); ++column) {
      Pen pen = grid.cell(row, column).pen;
      pen.reverse = pen.reverse != emulator.all_reversed;
      out += text_of(grid.cell(row, column).chars[0], pen, grid.width(row, column));
    }
    out += '\n';
  }
  return out;
}

// libvterm's screen, set up as ours is.
class Reference {
 public:
  Reference()
      : terminal_(vterm_new(kSize.rows, kSize.columns)), screen_(vterm_obtain_screen(terminal_)) {
    vterm_set_utf8(terminal_, 1);
    vterm_screen_enable_altscreen(screen_, 1);
    vterm_screen_reset(screen_, 1);
    see("\x1b"
        "7");
  }
  ~Reference() { vterm_free(terminal_); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  void see(std::string_view bytes) { vterm_input_write(terminal_, bytes.data(), bytes.size()); }
  void resize(const TerminalSize& size) {
    vterm_set_size(terminal_, size.rows, size.columns);
    rows_ = size.rows;
    columns_ = size.columns;
  }

  // Every letter and every style, cell by cell.
  std::string cells() const {
    std::string out;
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < columns_; ++column) {
        VTermScreenCell cell{};
        vterm_screen_get_cell(screen_, {.row = row, .col = column}, &cell);
        out += text_of(cell.chars[0], pen_of(cell), cell.width);
      }
      out += '\n';
    }
    return out;
  }

 private:
  static Pen pen_of(const VTermScreenCell& cell) {
    return {.fg = cell.fg,
            .bg = cell.bg,
            .underline = static_cast<std::uint8_t>(cell.attrs.underline),
            .bold = cell.attrs.bold != 0,
            .italic = cell.attrs.italic != 0,
            .blink = cell.attrs.blink != 0,
            .reverse = cell.attrs.reverse != 0,
            .strike = cell.attrs.strike != 0};
  }

  VTerm* terminal_;
  VTermScreen* screen_;
  int rows_ = kSize.rows;
  int columns_ = kSize.columns;
};

// Whatever a program prints, all cells are the same, also after the terminal has
// grown. (When it shrinks, libvterm's screen may write behind its cells; a Grid does not.)
RC_GTEST_PROP(GridOfCells, IsLikeTheScreenOfLibvterm, ()) {
  const auto piece = rc::gen::elementOf(std::vector<std::string>{"a",
                                                                 "word ",
                                                                 "\xc3\xa9",
                                                                 "\xe4\xb8\xad",
                                                                 "e\xcc\x81",
                                                                 "\r\n",
                                                                 "\n",
                                                                 "\r",
                                                                 "\b",
                                                                 "\t",
                                                                 "\x1b[J",
                                                                 "\x1b[1J",
                                                                 "\x1b[2J",
                                                                 "\x1b[K",
                                                                 "\x1b[1K",
                                                                 "\x1b[2K",
                                                                 "\x1b[H",
                                                                 "\x1b[3;3H",
                                                                 "\x1b[99;99H",
                                                                 "\x1b[2;4r",
                                                                 "\x1b[r",
                                                                 "\x1b[2L",
                                                                 "\x1b[M",
                                                                 "\x1b[3@",
                                                                 "\x1b[2P",
                                                                 "\x1b[4X",
                                                                 "\x1b[2S",
                                                                 "\x1b[2T",
                                                                 "\x1b[31m",
                                                                 "\x1b[1;4m",
                                                                 "\x1b[7m",
                                                                 "\x1b[0m",
                                                                 "\x1b[48;5;17m",
                                                                 "\x1b[?1049h",
                                                                 "\x1b[?1049l",
                                                                 "\x1b[?47h",
                                                                 "\x1b[?47l",
                                                                 "\x1bM",
                                                                 "\x1b"
                                                                 "D",
                                                                 "\x1b#8",
                                                                 "\x1b[?69h",
                                                                 "\x1b[3;9s",
                                                                 "\x1b[?69l",
                                                                 "\x1b[1\"q",
                                                                 "\x1b[0\"q",
                                                                 "\x1b[?2J",
                                                                 "\x1b[?K",
                                                                 "\x1b#6",
                                                                 "\x1b#5",
                                                                 "\x1b[?5h",
                                                                 "\x1b[?5l",
                                                                 "\x1b"
                                                                 "c",
                                                                 "\x1b[4h",
                                                                 "\x1b[?6h",
                                                                 "0123456789abcdef",
                                                                 "\x1b[2'}",
                                                                 "\x1b[2'~"});
  const auto pieces = *rc::gen::container<std::vector<std::string>>(piece);
  const auto resize = *rc::gen::element(0, 1, 2, 3);
  constexpr std::array<TerminalSize, 4> kSizes{{{6, 12}, {9, 12}, {6, 20}, {9, 20}}};
  Reference theirs;
  Emulator ours(kSize);
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i == pieces.size() / 2 && resize != 0) {
      theirs.resize(kSizes[static_cast<size_t>(resize)]);
      ours.resize(kSizes[static_cast<size_t>(resize)]);
    }
    theirs.see(pieces[i]);
    ours.see(pieces[i]);
  }
  RC_ASSERT(cells_of(ours) == theirs.cells());
}

// A line that scrolls by costs what it holds, not what the terminal could hold: a million of them
// are no more work than their bytes.
TEST(GridOfCells, ScrollsRowsWithoutTouchingTheirCells) {
  Screen screen({.rows = 500, .columns = 1'000});
  std::string lines;
  for (int i = 0; i < 200'000; ++i) lines += "x\r\n";
  screen.see(lines);
  EXPECT_EQ(screen.text().size(), 499U * 2);
}

}  // namespace
}  // namespace drover::screen
