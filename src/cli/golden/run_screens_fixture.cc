// show.
#include "cli/commands/play/commands.h"
#include "cli/golden/records_fixture.h"
#include "cli/golden/screens_fixture.h"
#include "cli/views/show_view.h"

namespace drover::cli::golden {

std::vector<GoldenScreen> run_screens() {
  const auto show = [](boost::json::object run) {
    return [run = std::move(run)](const Screen& screen) {
      return show_page(run, screen, play_phases(), kNow);
    };
  };
  return {
      {"show-nasty", show(nasty_run())},
      {"show-completed",
       show(object(R"({"run_id":"run_01jcqz4a2m8x2v7n4b9c6d1f0g","command":["true"],
         "state":"completed","reason":"exit_zero","exit_code":0,"cwd":"/","lane":"default",
         "scope":"default","queued_at":"2026-11-15T09:59:59.500Z",
         "started_at":"2026-11-15T09:59:59.510Z","finished_at":"2026-11-15T09:59:59.512Z",
         "duration_ms":2,"grace_ms":2000,"cpu_ms":0,"peak_rss_bytes":1500000,"stdout_bytes":0,"stderr_bytes":0,
         "receipt":{"signalled":0,"term_at":null,"kill_at":null,"orphans":0,"survivors":0}})"))},
      {"show-running",
       show(object(R"({"run_id":"run_01jcqz4a2m8x2v7n4b9c6d1f0g","command":["make","-j8"],
         "state":"running","cwd":"/src","lane":"default","scope":"default","cancel_requested":true,
         "queued_at":"2026-11-15T09:58:00.000Z","started_at":"2026-11-15T09:58:00.010Z",
         "duration_ms":null,"cpu_ms":0,"peak_rss_bytes":0,"stdout_bytes":0,"stderr_bytes":0,
         "progress":{"percent":42,"text":"linking","done":42,"total":100,
                     "at":"2026-11-15T09:59:57.000Z",
                     "output":{"bytes":123456,"lines":1234,"at":"2026-11-15T09:59:55.000Z"}},
         "usage":{"processes":9,"cpu_ms":890000,"rss_bytes":2100000000,"read_bytes":4100,
                  "written_bytes":123000000}})"))},
      // The end of this run is unknown, and it never started.
      {"show-unknown",
       show(object(R"({"run_id":"run_01jcqz4a2m8x2v7n4b9c6d1f0g","command":["nothing"],
         "state":"failed","reason":"launch_failed","launch_step":"exec","launch_error":"ENOENT",
         "message":"nothing was not found; check the name, or PATH","cwd":"/","lane":"default",
         "queued_at":"2026-11-15T10:00:03.000Z","cpu_ms":0,"peak_rss_bytes":0,"stdout_bytes":0,
         "stderr_bytes":0})"))},
      {"show-play",
       show(object(R"({"run_id":"run_01jcqz4a2m8x2v7n4b9c6d1f0g","kind":"play","name":"game",
         "scope":"play/game","lane":"","state":"running","command":["drover","play","game"],
         "session":{"project":"game","state":"preparing","step":"validation",
           "runs":{"build":"run_01jcqz5k3m8x2v7n4b9c6d1f0g",
                   "validation":"run_01jcqz5k3m8x2v7n4b9c6d1f0h"}}})"))},
      {"show-evidence",
       [](const Screen& screen) {
         return evidence_page(object(R"({"object":"run_status",
           "run_id":"run_01jcqz4a2m8x2v7n4b9c6d1f0g","status":"failed",
           "trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","source":{"kind":"app","id":"reports"},
           "acknowledged_at":"2026-11-15T09:58:00.000Z","started_at":"2026-11-15T09:58:00.000Z",
           "launched_at":"2026-11-15T09:58:00.010Z","completed_at":"2026-11-15T09:59:00.000Z",
           "terminal_reason":"exit_nonzero","failure":{"reason":"exit_nonzero",
           "origin":"process","message":"exited with code 2"}})"),
                              screen, kNow);
       }},
      {"show-attempts",
       [](const Screen& screen) {
         return attempts_page(array(R"([
           {"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0i","attempt":11,"state":"queued","lane":"net"},
           {"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0h","attempt":10,"state":"failed",
            "reason":"exit_nonzero","exit_code":1},
           {"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","attempt":9,"state":"timed_out",
            "reason":"idle_timeout","signal":15}])"),
                              object(R"({"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0h"})"), screen,
                              kNow);
       }},
  };
}

}  // namespace drover::cli::golden
