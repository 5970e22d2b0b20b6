#include "cli/watch.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/client/follow.h"
#include "cli/terminal/attached.h"
#include "wire/operations/events.h"

namespace drover::cli {
namespace {

size_t rows() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 2 ? size.ws_row : 24;
}

}  // namespace

std::string fit_rows(const std::string& text, size_t rows) {
  const auto lines = static_cast<size_t>(std::ranges::count(text, '\n'));
  if (lines <= rows) return text;
  size_t end = 0;
  for (size_t i = 0; i + 1 < rows; ++i) end = text.find('\n', end) + 1;
  return text.substr(0, end) + "… and " + std::to_string(lines - rows + 1) + " more\n";
}

Result<int> watch(Context& context, const std::function<Result<std::string>()>& page) {
  if (!context.screen.output_is_terminal() || context.json) {
    return fail(ErrorCode::invalid, "no_terminal",
                "--watch needs a terminal; programs can use `drover events --follow`", "watch");
  }
  Interrupts interrupts;
  context.client.silence_notices();
  Client side = context.client.another();
  EventSubscription subscription(side, wire::events::list, {});
  std::int64_t drawn_ms = 0;
  size_t drawn_lines = 0;
  bool stale = true;
  size_t width = 0;
  for (;;) {
    if (interrupts.take() != 0) return 0;
    const auto events = subscription.turn();
    if (!events) return std::unexpected(events.error());
    stale = stale || !events->empty();
    const std::int64_t age = mono_ms() - drawn_ms;
    if (!subscription.away() && ((stale && age >= limits::kRedrawMs) || age >= 1000)) {
      const Result<std::string> text = page();
      if (!text) return std::unexpected(text.error());
      context.screen.look_again();
      const std::string shown = fit_rows(*text, rows() - 1);
      std::string frame;
      // After a resize, old lines may have been wrapped: clear the whole screen.
      const bool resized = width != 0 && width != context.screen.width();
      if (resized) frame = "\x1b[H";
      if (drawn_lines > 0 && !resized) frame = "\x1b[" + std::to_string(drawn_lines) + "A\r";
      frame += "\x1b[J" + shown;
      if (auto ok = context.screen.print(frame); !ok) return std::unexpected(ok.error());
      drawn_lines = static_cast<size_t>(std::ranges::count(shown, '\n'));
      width = context.screen.width();
      drawn_ms = mono_ms();
      stale = false;
    }
    const std::int64_t next = drawn_ms + (stale ? limits::kRedrawMs : 1000) - mono_ms();
    pollfd polls[2] = {{interrupts.fd(), POLLIN, 0}, {subscription.fd(), POLLIN, 0}};
    const std::int64_t ms =
        subscription.fd() < 0 ? subscription.wait_ms() : std::max<std::int64_t>(0, next);
    ::poll(polls, 2, static_cast<int>(std::min<std::int64_t>(ms, 1000)));
  }
}

}  // namespace drover::cli
