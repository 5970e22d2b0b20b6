#include "cli/views/sheet.h"

#include <algorithm>

#include "cli/views/table.h"

namespace drover::cli {
namespace {

constexpr size_t kBullet = 4;  // "  · ".

}  // namespace

std::string indented(std::string_view text, size_t indent, size_t width, Color color,
                     const Screen& screen) {
  const size_t room = width > indent ? width - indent : 1;
  std::string out;
  for (const std::string& line : fold(clean(text), room)) {
    out.append(indent, ' ').append(screen.paint(color, line)).append("\n");
  }
  return out;
}

std::string bullet(const Screen& screen, Color mark, std::string_view text) {
  const std::string lines = indented(text, kBullet, screen.width(), Color::none, screen);
  return "  " + screen.paint(mark, "·") + " " + lines.substr(kBullet);
}

void Sheet::head(std::string_view text) {
  out_ += indented(text, 0, screen_.width(), Color::bold, screen_);
}

void Sheet::line(std::string_view title, std::string_view text, Color color) {
  if (text.empty()) return;
  const std::string lines = indented(text, indent_, screen_.width(), color, screen_);
  std::string first = std::string(lead_, ' ') + std::string(title);
  first.resize(std::max(first.size(), indent_), ' ');
  out_ += screen_.paint(Color::dim, first) + lines.substr(indent_);
}

}  // namespace drover::cli
