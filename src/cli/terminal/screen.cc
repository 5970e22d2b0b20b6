#include "cli/terminal/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/fd.h"
#include "cli/views/table.h"

namespace drover::cli {
namespace {

constexpr size_t kUnbounded = 100'000;
constexpr size_t kTextMin = 40;
constexpr size_t kTextMax = 100;
constexpr size_t kTextInPipe = 80;
constexpr size_t kPrefix = 8;  // "drover: ".

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool is_dumb() {
  const char* term = std::getenv("TERM");
  return term == nullptr || *term == '\0' || std::string_view(term) == "dumb";
}

bool wants_color(ColorMode mode, bool terminal) {
  if (mode != ColorMode::automatic) return mode == ColorMode::always;
  if (is_set("NO_COLOR")) return false;
  const char* force = std::getenv("CLICOLOR_FORCE");
  if (force != nullptr && *force != '\0' && std::string_view(force) != "0") return true;
  return terminal && !is_dumb();
}

// The width of a page. COLUMNS wins over the terminal; in a pipe the width is unbounded.
size_t find_width(bool out_terminal) {
  if (const char* given = std::getenv("COLUMNS"); given != nullptr && std::atoi(given) > 0) {
    return static_cast<size_t>(std::atoi(given));
  }
  winsize size{};
  if (out_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return kUnbounded;
}

// The width of a notice's lines on the terminal; in a pipe it is unbounded.
size_t notice_width() {
  winsize size{};
  const bool known = ::isatty(STDERR_FILENO) == 1 &&
                     ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 2 * kPrefix;
  return known ? size.ws_col - kPrefix : kUnbounded;
}

std::string_view code(Color color) {
  switch (color) {
    case Color::none:
      return "";
    case Color::bold:
      return "\x1b[1m";
    case Color::dim:
      return "\x1b[2m";
    case Color::red:
      return "\x1b[1;31m";
    case Color::green:
      return "\x1b[32m";
    case Color::yellow:
      return "\x1b[33m";
    case Color::blue:
      return "\x1b[1;34m";  // Plain blue is unreadable on black.
  }
  return "";
}

}  // namespace

std::string notice_lines(std::string_view text, size_t width) {
  std::string out;
  const std::string_view first = text.substr(0, text.find('\n'));
  // The text may quote untrusted data: a run's message, a file name.
  for (const std::string& line : wrap(clean(first), width)) {
    out += (out.empty() ? "" : std::string(kPrefix, ' ')) + line + '\n';
  }
  // Further lines are lists, or commands to copy: print them unchanged.
  text.remove_prefix(std::min(text.size(), first.size() + 1));
  while (!text.empty()) {
    const std::string_view next = text.substr(0, text.find('\n'));
    out += clean(next) + '\n';
    text.remove_prefix(std::min(text.size(), next.size() + 1));
  }
  return out;
}

Screen::Screen(ColorMode mode)
    : out_terminal_(::isatty(STDOUT_FILENO) == 1),
      progress_(::isatty(STDERR_FILENO) == 1 && !is_dumb()),
      width_(find_width(out_terminal_)) {
  set_color(mode);
}

void Screen::set_color(ColorMode mode) {
  color_out_ = wants_color(mode, out_terminal_);
  color_err_ = wants_color(mode, ::isatty(STDERR_FILENO) == 1);
}

void Screen::look_again() {
  width_ = find_width(out_terminal_);
}

size_t Screen::text_width() const {
  return width_ == kUnbounded ? kTextInPipe : std::clamp(width_, kTextMin, kTextMax);
}

std::string Screen::paint(Color color, std::string_view text) const {
  if (!color_out_ || color == Color::none) return std::string(text);
  return std::string(code(color)).append(text).append("\x1b[0m");
}

Result<> Screen::print(std::string_view text) {
  erase_progress();
  return write_all(STDOUT_FILENO, text);
}

void Screen::notice(std::string_view text) {
  erase_progress();
  std::string line = color_err_ ? "\x1b[1mdrover:\x1b[0m " : "drover: ";
  line += notice_lines(text, notice_width());
  (void)write_all(STDERR_FILENO, line);  // If that fails, no other stream is left for errors.
}

void Screen::progress(std::string_view line) {
  if (!progress_) return;
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  std::string text = "\r" + cut(line, known ? size.ws_col - 1U : 79U) + "\x1b[K";
  if (color_err_) text = "\x1b[2m" + text + "\x1b[0m";
  (void)write_all(STDERR_FILENO, text);
  drawn_ = true;
}

void Screen::erase_progress() {
  if (!drawn_) return;
  drawn_ = false;
  (void)write_all(STDERR_FILENO, "\r\x1b[K");
}

}  // namespace drover::cli
