#include <fmt/core.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/size.h"
#include "cli/help/topic_texts.h"

namespace drover::cli::topic_texts {
namespace {

std::vector<Row> limits_of_a_run() {
  namespace limits = drover::limits;
  return {
      {"--timeout", fmt::format("duration, at most {}; then the run is stopped",
                                format_duration(limits::kDurationMaxMs))},
      {"--idle-timeout", "the same, counted since the run last printed something"},
      {"--memory",
       fmt::format("size from {} to {}, for all processes together",
                   format_size(limits::kMemoryBytesMin), format_size(limits::kMemoryBytesMax))},
      {"--cpus", fmt::format("number of cores from 0.01 to {}", limits::kCpuMilliMax / 1000)},
      {"--pids", fmt::format("processes and threads, from 1 to {}", limits::kPidsMax)},
      {"--nice", fmt::format("niceness from {} to {}; below 0 needs a privilege", limits::kNiceMin,
                             limits::kNiceMax)},
      {"--output-limit",
       fmt::format("size from {} to {}; default {}", format_size(limits::kOutputLimitMin),
                   format_size(limits::kOutputLimitMax), format_size(limits::kOutputBytesMax))},
  };
}

std::vector<Row> limits_of_drover() {
  namespace limits = drover::limits;
  return {
      {"queued runs", fmt::format("{}", limits::kQueuedMax)},
      {"runs at a time", fmt::format("{} in the lane `default`, {} in a new lane",
                                     limits::kDefaultLaneLimit, limits::kNewLaneLimit)},
      {"priority", fmt::format("from -{} to {}", limits::kPriorityMax, limits::kPriorityMax)},
      {"dependencies",
       fmt::format("{} for each run (--after and --after-any)", limits::kDependenciesMax)},
      {"arguments", fmt::format("{} for each command", limits::kArgumentsMax)},
      {"name", fmt::format("{} bytes", limits::kNameBytesMax)},
      {"labels",
       fmt::format("{} for each run, {} bytes each", limits::kLabelsMax, limits::kLabelBytesMax)},
      {"finished runs",
       fmt::format("{} for each scope, for {} (retention.count, .age)",
                   limits::kFinishedPerScopeMax, format_duration(limits::kFinishedAgeMaxMs))},
  };
}

}  // namespace

std::vector<Section> limits() {
  return {
      {.text = "Options of `drover run` limit the resources of a run:", .rows = limits_of_a_run()},
      {.text = "Memory, cores and processes are limited with cgroup v2. If the daemon may not "
               "create cgroups, --memory limits each process on its own, and --cpus and --pids "
               "have no effect; `drover run` then prints a warning. `drover doctor` checks it.\n\n"
               "A duration is a number with a unit, or several: 250ms, 90s, 1.5h, 1h30m, 2d.\n\n"
               "A size is a number of bytes or a number with K, M, G or T: 512M, 1.5G, 2GB. Each "
               "letter is 1024 times the one before it; 2G, 2GB and 2GiB are the same. Sizes that "
               "Drover measured are printed in decimal units: 1 MB is 1000 kB."},
      {.text = "Drover itself has these limits:", .rows = limits_of_drover()},
  };
}

}  // namespace drover::cli::topic_texts
