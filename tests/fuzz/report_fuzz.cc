// Fuzzes the reports of keepers: a packet is refused, or it is exactly one report; a report about
// an end can be recorded.
#include <cstdint>

#include "dispatch/ending/endings.h"
#include "process/report.h"
#include "tests/fuzz/recordable.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  using namespace drover;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  process::Report report;
  if (!process::parse_report(bytes, report)) return 0;
  if (report.header.bytes != size || std::memcmp(&report, data, size) != 0) std::abort();
  if (report.header.kind == process::ReportKind::ended) {
    run::Ended ended =
        dispatch::ended_from(fuzz::kRun, report.ended.ending, "make", "/", report.ended.usage);
    ended.started_at = dispatch::sound_time(report.ended.started_wall_ms);
    dispatch::complete_start(ended);
    fuzz::expect_recordable(ended);
  }
  if (report.header.kind == process::ReportKind::refused) {
    const process::LaunchFailure& failure = report.failure;
    fuzz::expect_recordable(
        {.id = fuzz::kRun, .ending = run::NotLaunched{failure.step, failure.error_number, {}}});
  }
  return 0;
}
