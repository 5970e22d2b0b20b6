#include "cli/client/living_processes.h"

#include <boost/json/parse.hpp>

#include "cli/client/launch_daemon.h"
#include "cli/program.h"
#include "cli/views/columns.h"

namespace drover::cli {

Result<boost::json::object> find_living_processes() {
  const ProgramEnd ended = run_program({beside("droverd"), "--survivors"});
  boost::system::error_code bad;
  const boost::json::value report = boost::json::parse(ended.output, bad);
  if (ended.ok() && !bad && report.is_object()) return report.get_object();
  return fail(ErrorCode::unavailable, "no_survivor_check",
              "cannot look for processes of runs: " +
                  (ended.output.empty() ? "droverd failed" : clean(ended.output)));
}

}  // namespace drover::cli
