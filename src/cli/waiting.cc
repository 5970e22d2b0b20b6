#include "cli/waiting.h"

#include <algorithm>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/fields.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "cli/views/words.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

void show_progress(Context& context, const boost::json::object& run, std::int64_t waited_ms) {
  std::string line = flag_in(run, "cancel_requested") ? "canceling" : text_in(run, "state");
  line += " · " + say_elapsed(elapsed_ms(run, SystemClock{}.wall_ms()).value_or(waited_ms));
  // Usually counted when the run finishes; a daemon that counts earlier is believed.
  const std::int64_t bytes =
      number_in(run, "stdout_bytes").value_or(0) + number_in(run, "stderr_bytes").value_or(0);
  if (bytes > 0) line += " · " + say_bytes(bytes) + " of output";
  context.screen.progress(line + " · " + text_in(run, "run_id") + " " + clean(title_of(run)));
}

}  // namespace

Result<boost::json::object> await_end(Context& context, const std::string& run,
                                      const WaitLimit& limit) {
  // How long the daemon may hold the answer: its maximum, or the time between two progress lines.
  const std::int64_t held =
      context.screen.shows_progress() ? limits::kProgressAfterMs : limits::kWaitMaxMs;
  Call call{.segment = run};
  const std::int64_t began = mono_ms();
  for (;;) {
    const std::int64_t left = limit.until_mono_ms - mono_ms();
    const bool bounded = limit.until_mono_ms != 0;
    call.held_ms = bounded ? std::clamp<std::int64_t>(left, 0, held) : held;
    // An answer that is held until the deadline arrives a moment after it.
    if (bounded) call.until_mono_ms = limit.until_mono_ms + limits::kProgressAfterMs;
    call.query = {{"wait", format_duration(call.held_ms)}};
    if (limit.final) call.query.emplace_back("final", "true");
    Result<boost::json::object> record = context.client.ask(wire::runs::get, call);
    if (!record || has_ended(*record) || (bounded && limit.until_mono_ms <= mono_ms())) {
      context.screen.erase_progress();
      return record;
    }
    // Use the full id from now on: @last may name another run by then.
    if (const std::string id = text_in(*record, "run_id"); !id.empty()) call.segment = id;
    show_progress(context, *record, mono_ms() - began);
  }
}

}  // namespace drover::cli
