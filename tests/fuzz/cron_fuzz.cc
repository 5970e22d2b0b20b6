// Fuzzes cron expressions. The first line may name a time zone, the second one is the expression.
// An accepted one has times that follow each other, as many as are counted.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "triggers/time/limits.h"
#include "triggers/time/schedule.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  using namespace drover::triggers;
  constexpr drover::WallMs kNow = 1'800'000'000'000;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string_view zone;
  if (const size_t end = text.find('\n'); end != text.npos) {
    zone = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  const auto schedule = cron_schedule(text, zone, kNow);
  if (!schedule) {
    if (schedule.error().param != "cron" && schedule.error().param != "tz") std::abort();
    if (schedule.error().message.empty()) std::abort();
    return 0;
  }
  if (cron_schedule(text, zone, kNow).value() != *schedule) std::abort();
  if (describe(*schedule).empty()) std::abort();
  const auto times = preview(*schedule, kNow, 20);
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i] <= (i == 0 ? kNow : times[i - 1]) || times[i] > kTimeEndMs) std::abort();
  }
  if (times.empty()) return 0;
  const auto counted = count_due_times(*schedule, kNow + 1, times.back());
  if (counted != static_cast<std::int64_t>(times.size())) std::abort();
  if (nth_latest(*schedule, kNow + 1, times.back(), 1) != times.back()) std::abort();
  if (nth_latest(*schedule, kNow + 1, times.back(), counted) != times.front()) std::abort();
  return 0;
}
