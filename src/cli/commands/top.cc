// drover top: shows the runs live on the whole screen.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "base/limits.h"
#include "cli/client/follow.h"
#include "cli/commands/commands.h"
#include "cli/commands/listing.h"
#include "cli/context.h"
#include "cli/fields.h"
#include "cli/latest_output.h"
#include "cli/terminal/fullscreen.h"
#include "cli/views/runs_table.h"
#include "cli/views/top_view.h"
#include "wire/operations/events.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

constexpr auto kOptions = std::to_array<Option>({
    {"label", 'l', Takes::many, "K=V", "Show only runs with this label; may be repeated", "label"},
    {"lane", 0, Takes::text, "LANE", "Show only runs of this lane", "lane"},
    {"scope", 0, Takes::text, "SCOPE", "Show only runs of this scope and the scopes below it",
     "scope"},
});

constexpr size_t kScrollLines = 1'000;   // Of output to scroll in; `drover logs` prints the rest.
constexpr std::int64_t kTickMs = 1'000;  // Redraws ages and output, which send no events.

class Top {
 public:
  Top(Context& context, Fullscreen& screen, Listing listing)
      : context_(context),
        screen_(screen),
        listing_(std::move(listing)),
        side_(context.client.another()),
        subscription_(side_, wire::events::list, {}) {}

  Result<int> until_quit() {
    for (;;) {
      if (const int signal = screen_.take_signal(); signal != 0) return 128 + signal;
      while (const auto key = screen_.take_key()) {
        dirty_ = true;
        if (act(press(view_, *key, screen_.rows()))) return 0;
      }
      if (auto taken = take_events(); !taken) return std::unexpected(taken.error());
      if (screen_.redraw() || dirty_) {
        if (auto ok = show(); !ok) return std::unexpected(ok.error());
      }
      wait();
    }
  }

 private:
  // True: quit.
  bool act(TopAction wish) {
    if (wish == TopAction::look) look();
    if (wish == TopAction::cancel) {
      const auto done =
          context_.client.call(wire::runs::cancel, {.segment = view_.selected, .body = "{}"});
      view_.notice = done ? "canceling " + view_.selected : done.error().message;
    }
    return wish == TopAction::quit;
  }

  // Reads one screen of output, or more of it to scroll in.
  void look() {
    const bool scrolls = view_.log_up > 0;
    Result<std::string> text =
        latest_output(context_.client, view_.selected, scrolls ? kScrollLines : screen_.rows());
    if (!text) view_.notice = text.error().message;
    view_.log_text = text ? std::move(*text) : "";
  }

  Result<> take_events() {
    const auto events = subscription_.turn();
    if (!events) return std::unexpected(events.error());
    dirty_ = dirty_ || view_.away != subscription_.away();
    view_.away = subscription_.away();
    stale_ = stale_ || !events->empty();
    const std::int64_t age = mono_ms() - fetched_ms_;
    if (view_.away || (age < kTickMs && !(stale_ && age >= limits::kRedrawMs))) return {};
    auto runs = current_runs(context_, listing_, screen_.rows());
    fetched_ms_ = mono_ms();
    if (!runs)
      return runs.error().reason == "connection_lost" ? Result<>{}
                                                      : Result<>(std::unexpected(runs.error()));
    view_.runs = std::move(*runs);
    settle(view_);
    if (view_.logs && view_.log_up == 0) look();  // While a person scrolls, the text stands still.
    stale_ = false;
    dirty_ = true;
    return {};
  }

  Result<> show() {
    dirty_ = false;
    const size_t width = std::max<size_t>(screen_.columns(), 3) - 2;
    const std::string table = view_.runs.empty() ? ""
                                                 : runs_table(view_.runs, context_.screen,
                                                              SystemClock{}.wall_ms(), width);
    return screen_.draw(draw(view_, table, context_.screen, screen_.columns(), screen_.rows()));
  }

  void wait() {
    std::array<pollfd, 3> polls{pollfd{screen_.fd(), POLLIN, 0}, pollfd{STDIN_FILENO, POLLIN, 0},
                                pollfd{subscription_.fd(), POLLIN, 0}};
    std::int64_t ms = fetched_ms_ + (stale_ ? limits::kRedrawMs : kTickMs) - mono_ms();
    if (subscription_.fd() < 0) ms = subscription_.wait_ms();
    ::poll(polls.data(), polls.size(), static_cast<int>(std::clamp<std::int64_t>(ms, 0, kTickMs)));
    // The terminal is gone, so nobody can press q.
    if ((polls[1].revents & (POLLHUP | POLLERR)) != 0) ::raise(SIGHUP);
  }

  Context& context_;
  Fullscreen& screen_;
  Listing listing_;
  Client side_;
  EventSubscription subscription_;
  TopView view_;
  std::int64_t fetched_ms_ = -kTickMs;
  bool stale_ = true;
  bool dirty_ = true;
};

Result<int> top(Context& context, const Arguments& arguments) {
  Result<Listing> listing = read_listing(arguments, limits::kPageMax);
  if (!listing) return std::unexpected(listing.error());
  listing->query.emplace_back("latest", "true");
  // Before the screen is taken over, connect to the daemon, starting it if necessary, and report a
  // refusal.
  if (const auto met = context.client.call(wire::runs::list, {.query = listing->query}); !met) {
    return std::unexpected(met.error());
  }
  context.client.silence_notices();
  Result<Fullscreen> screen = Fullscreen::open();
  if (!screen) return std::unexpected(screen.error());
  return Top(context, *screen, std::move(*listing)).until_quit();
}

}  // namespace

const Command kTop{
    .name = "top",
    .words = {},
    .group = Group::everyday,
    .summary = "Watch runs on the whole screen",
    .help =
        "Show runs on the whole screen and keep them up to date.\n\n"
        "The arrow keys select a run, Enter shows its latest output, c cancels it after asking, "
        "and q quits. In the output, the arrow keys, Page Up, Page Down, Home and End scroll.",
    .examples = {{{"drover top", "Watch all runs."},
                  {"drover top --lane build", "Watch the runs of one lane."}}},
    .options = kOptions,
    .run = top,
};

}  // namespace drover::cli
