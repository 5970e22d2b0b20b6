#include "cli/waiting.h"

#include <fmt/core.h>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/fields.h"
#include "cli/run_view.h"
#include "cli/words.h"

namespace drover::cli {
namespace {

void show_progress(Context& context, const boost::json::object& run, std::int64_t waited_ms) {
  const std::int64_t bytes =
      number_in(run, "stdout_bytes").value_or(0) + number_in(run, "stderr_bytes").value_or(0);
  const WallMs now = SystemClock{}.wall_ms();
  const std::int64_t elapsed = elapsed_ms(run, now).value_or(waited_ms) / 1000 * 1000;
  context.screen.progress(
      fmt::format("{} · {} · {} of output · {} {}",
                  flag_in(run, "cancel_requested") ? "canceling" : text_in(run, "state"),
                  say_duration(elapsed), say_bytes(bytes), text_in(run, "run_id"), title_of(run)));
}

}  // namespace

Result<boost::json::object> await_end(Context& context, const std::string& run) {
  // Held for as long as the daemon allows, or for as long as a progress line stays true.
  const std::int64_t held =
      context.screen.shows_progress() ? limits::kProgressAfterMs : limits::kWaitMaxMs;
  const Call call{.segment = run, .query = {{"wait", format_duration(held)}}, .held_ms = held};
  const std::int64_t began = SystemClock{}.mono_ns() / 1'000'000;
  for (;;) {
    Result<boost::json::object> record = context.client.ask(wire::Op::runs_get, call);
    if (!record || has_ended(*record)) {
      context.screen.erase_progress();
      return record;
    }
    show_progress(context, *record, SystemClock{}.mono_ns() / 1'000'000 - began);
  }
}

}  // namespace drover::cli
