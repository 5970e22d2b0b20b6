// why and doctor.
#include "cli/commands/play/commands.h"
#include "cli/golden/records_fixture.h"
#include "cli/golden/screens_fixture.h"
#include "cli/views/doctor_view.h"
#include "cli/views/why_view.h"

namespace drover::cli::golden {
namespace {

constexpr std::string_view kQueued = R"({"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","state":"queued",
  "priority":7,"obstacles":[
    {"kind":"lane_full","text":"lane gpu is full: 2 slots, used by 2 runs",
     "runs":["run_01jcqz4a2m8x2v7n4b9c6d1f0g","run_01jcqz3b1m8x2v7n4b9c6d1f0g"]},
    {"kind":"lane_paused","since":"2026-11-15T08:00:00.000Z",
     "text":"lane a-lane-whose-name-is-as-long-as-a-name-of-a-lane-may-be-and-64 is paused; resume it with `drover lane resume a-lane-whose-name-is-as-long-as-a-name-of-a-lane-may-be-and-64`"},
    {"kind":"backoff","text":"attempt 3 starts in 30s","until":"2026-11-15T10:00:30.000Z"}]})";

constexpr std::string_view kRunning =
    R"x({"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","state":"running",
  "progress":{"percent":42,"text":"waiting for the license server","at":"2026-11-15T09:47:57.000Z"},
  "diagnosis":{"findings":[
    {"kind":"reads_stdin","text":"訓練 ✅ (4711) waits for standard input; send some with `drover send RUN`, or close it with --eof",
     "since":"2026-11-15T09:48:00.000Z","evidence":"pid 4711, state S, in read · fd 0 → pipe:[48213], wchan anon_pipe_read\u001b"},
    {"kind":"quiet","text":"it uses no CPU and prints nothing","since":"2026-11-15T09:48:00.000Z",
     "evidence":"0 ms of CPU in 250 ms; 123456 bytes printed"},
    {"kind":"quiet","text":"it uses no CPU and prints nothing","since":"2026-11-15T09:59:59.700Z"}],
  "processes":[
    {"pid":4711,"state":"S","name":"a-process-with-a-long-name","cpu_ms":1200,"rss_bytes":12000000,"call":"read(0)"},
    {"pid":4712,"state":"R","name":"cc1plus","cpu_ms":7500000,"rss_bytes":2100000000,"call":""},
    {"pid":4712345,"state":"D","name":"dd","call":"a_system_call_with_a_name_that_is_longer_than_what_is_left_of_the_line"}],
  "left_out":3}})x";

constexpr std::string_view kFailed =
    R"({"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","state":"timed_out",
  "end":{"reason":"idle_timeout","exit_code":null,"signal":15,
    "message":"printed nothing for longer than its idle timeout","retried_by":"run_01jcqz5k3m8x2v7n4b9c6d1f0h",
    "receipt":{"signalled":2,"term_at":"2026-11-15T09:59:59.800Z","kill_at":null,"orphans":0,"survivors":0}}})";

constexpr std::string_view kPlay = R"({"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","state":"running",
  "session":{"project":"game","state":"preparing","step":"build"},
  "child":{"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0h","state":"queued","obstacles":[
    {"kind":"lane_paused","text":"lane play is paused; resume it with `drover lane resume play`"}]}})";

std::vector<Finding> bad_findings() {
  std::vector<Finding> out{
      {"config", false,
       "/home/somebody/.config/drover is accessible to other users; run chmod 700 "
       "/home/somebody/.config/drover"},
      {"settings", false, "config.toml:3: unknown setting \"run.lanes\"\x1b[2J"},
      {"state", true, "/a/path/without/any/space/" + std::string(200, 'x')},
      {"drover-keeper", false, "/opt/drover/bin/drover-keeper is missing or not executable"}};
  const Result<boost::json::object> status = object(R"({"version":"0.0.1","pid":4711,
    "limits":{"memory":"rlimit","cpus":"none","pids":"none",
              "no_cgroups":"/sys/fs/cgroup is not delegated to this user"},
    "followers":[{"name":"parcels.counter","stopped_at":"4711","reason":"cannot parse event 4711"}]})");
  for (Finding& finding : findings_of(status)) out.push_back(std::move(finding));
  return out;
}

std::vector<Finding> good_findings() {
  std::vector<Finding> out{{"config", true, "/home/somebody/.config/drover"},
                           {"socket", true, "no socket: the daemon is not running"}};
  const Result<boost::json::object> status = object(R"({"version":")" DROVER_VERSION R"(","pid":0,
    "limits":{"memory":"cgroup","cpus":"cgroup","pids":"cgroup"},
    "sizes":{"database_bytes":812000000,"free_bytes":4096,"runs":100000,"events":401234,
             "evidence":9120000,"keys":17},
    "followers":[{"name":"play.sessions","stopped_at":null}]})");
  for (Finding& finding : findings_of(status)) out.push_back(std::move(finding));
  return out;
}

}  // namespace

std::vector<GoldenScreen> reason_screens() {
  const auto why = [](std::string_view json) {
    return [why = object(json)](const Screen& screen) {
      return why_page(why, screen, play_phases(), kNow);
    };
  };
  return {
      {"why-queued", why(kQueued)},
      {"why-about-to-start", why(R"({"run_id":"run_a","state":"queued","obstacles":[]})")},
      {"why-running", why(kRunning)},
      {"why-starting", why(R"({"run_id":"run_a","state":"starting"})")},
      {"why-failed", why(kFailed)},
      {"why-play", why(kPlay)},
      {"doctor-bad", [](const Screen& screen) { return doctor_page(bad_findings(), screen); }},
      {"doctor-good", [](const Screen& screen) { return doctor_page(good_findings(), screen); }},
  };
}

}  // namespace drover::cli::golden
