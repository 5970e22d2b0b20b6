#include "cli/golden/records_fixture.h"

#include <boost/json/parse.hpp>

namespace drover::cli::golden {

boost::json::object object(std::string_view json) {
  return boost::json::parse(json).get_object();
}

boost::json::array array(std::string_view json) {
  return boost::json::parse(json).get_array();
}

boost::json::array few_runs() {
  return array(R"([
    {"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","command":["make","-j8","test"],"state":"running",
     "lane":"default","queued_at":"2026-11-15T09:58:00.000Z",
     "started_at":"2026-11-15T09:58:01.000Z"},
    {"run_id":"run_01jcqz4a2m8x2v7n4b9c6d1f0g","name":"nightly report","command":["./report"],
     "state":"completed","lane":"default","queued_at":"2026-11-15T07:00:00.000Z",
     "started_at":"2026-11-15T07:00:00.010Z","duration_ms":754000,"exit_code":0},
    {"run_id":"run_01jcqz3b1m8x2v7n4b9c6d1f0g","command":["/bin/sh","-c","curl -s $URL | jq ."],
     "state":"failed","lane":"default","queued_at":"2026-11-13T07:00:00.000Z",
     "started_at":"2026-11-13T07:00:00.000Z","duration_ms":85,"exit_code":4}])");
}

boost::json::array busy_runs() {
  return array(R"([
    {"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","command":["make","-j8","all"],"state":"running",
     "lane":"default","queued_at":"2026-11-15T09:58:00.000Z",
     "started_at":"2026-11-15T09:58:01.000Z",
     "progress":{"percent":42,"text":"linking a program with a long name\u001b[2J and more",
                 "done":42,"total":100,"at":"2026-11-15T09:59:57.000Z","output":null}},
    {"run_id":"run_01jcqz4a2m8x2v7n4b9c6d1f0g","name":"import","command":["./import"],
     "state":"running","lane":"net","queued_at":"2026-11-15T07:00:00.000Z",
     "started_at":"2026-11-15T07:00:00.010Z",
     "progress":{"percent":null,"text":null,"done":1200345,"total":null,
                 "at":"2026-11-15T09:59:57.000Z","output":{"bytes":1234,"lines":12}}},
    {"run_id":"run_01jcqz3b1m8x2v7n4b9c6d1f0g","command":["make","test"],"state":"completed",
     "lane":"default","queued_at":"2026-11-13T07:00:00.000Z",
     "started_at":"2026-11-13T07:00:00.000Z","duration_ms":85,"exit_code":0,
     "progress":{"percent":100,"text":"done","at":"2026-11-13T07:00:00.000Z"}}])");
}

boost::json::array nasty_runs() {
  return array(R"([
    {"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","command":["/bin/sh","-c","for f in *; do\n\twc $f\ndone"],
     "state":"running","lane":"default","queued_at":"2026-11-15T09:59:59.500Z",
     "started_at":"2026-11-15T09:59:59.600Z"},
    {"run_id":"run_01jcqz5k3m8x7v7n4b9c6d1f0g","command":["/bin/sh","-c","wc \"$1\"","sh","a file.txt"],
     "state":"running","cancel_requested":true,"lane":"default",
     "queued_at":"2026-11-15T09:00:00.000Z","started_at":"2026-11-15T09:00:00.000Z"},
    {"run_id":"run_01jcqz5k3m9a2v7n4b9c6d1f0g",
     "name":"a name that is as long as a name may be and says everything twice, everything twice, in words",
     "command":["x"],"state":"queued","held":true,
     "after":["run_01jcqz5k3m8x2v7n4b9c6d1f0g","run_01jcqz5k3m8x7v7n4b9c6d1f0g"],
     "lane":"a-lane-whose-name-is-as-long-as-a-name-of-a-lane-may-be-and-64",
     "queued_at":"2026-11-15T09:30:00.000Z"},
    {"run_id":"run_01jcqz5k3mab2v7n4b9c6d1f0g","command":["fetch","--all"],"state":"queued",
     "attempt":2,"retry":{"max":9},"not_before":"2026-11-15T10:00:04.200Z","lane":"net",
     "queued_at":"2026-11-15T09:59:00.000Z"},
    {"run_id":"run_01jcqz5k3mac2v7n4b9c6d1f0g","name":"訓練する 模型 ✅🚀 最終版","command":["train"],
     "state":"queued","lane":"gpu","queued_at":"2026-11-12T09:59:00.000Z"},
    {"run_id":"run_01jcqz5k3mad2v7n4b9c6d1f0g",
     "command":["printf","\u001b[31mred\u0007","\u202etxt.exe","e\u0301\u200d"],"state":"failed",
     "lane":"default","queued_at":"2026-11-15T08:00:00.000Z","duration_ms":7500000,"signal":9},
    {"run_id":"run_01jcqz5k3mae2v7n4b9c6d1f0g","command":["sleep","1000"],"state":"timed_out",
     "attempt":3,"retry":{"max":2},"lane":"default","queued_at":"2026-11-15T08:00:00.000Z",
     "duration_ms":60000,"signal":15},
    {"run_id":"run_01jcqz5k3maf2v7n4b9c6d1f0g","command":["no-such-program"],"state":"failed",
     "reason":"launch_failed","lane":"default","queued_at":"2026-11-15T09:50:00.000Z"},
    {"run_id":"run_01jcqz5k3mag2v7n4b9c6d1f0g","command":[],"state":"abandoned"},
    {"run_id":"run_01jcqz5k3mah2v7n4b9c6d1f0g","kind":"play","name":"game","scope":"play/game",
     "lane":"","command":["drover"],"state":"canceled","queued_at":"2026-11-15T10:00:05.000Z"}])");
}

boost::json::object nasty_run() {
  return object(R"({
    "run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","name":"訓練する 模型 ✅🚀 最終版",
    "command":["/usr/bin/env","A=\u001b[31mred","python3","-c","import sys\n\tprint 'a b'","--input",
      "/a/path/without/a/single/space/that/is/longer/than/any/terminal/is/wide/so/that/it/has/to/be/broken/somewhere/in/the/middle/of/a/word/and/goes/on/and/on/and/on/to/its/end"],
    "state":"failed","reason":"out_of_memory","exit_code":null,"signal":9,
    "message":"used more memory than its limit of 512M and was killed by the kernel; raise the limit with --memory",
    "cwd":"/home/somebody/a directory with spaces/and/many/levels/below/it","pty":{"rows":24,"cols":80},
    "lane":"a-lane-whose-name-is-as-long-as-a-name-of-a-lane-may-be-and-64","scope":"app/reports",
    "labels":{"team":"data","ticket":"AB-1234","long":"a value that goes on for quite a while"},
    "priority":-5,"after":["run_01jcqz4a2m8x2v7n4b9c6d1f0g","run_01jcqz3b1m8x2v7n4b9c6d1f0g"],
    "attempt":2,"retry":{"max":3,"backoff":"10s","on":["failed","timed_out"]},
    "retry_of":"run_01jcqz3b1m8x2v7n4b9c6d1f0g","parent_run_id":"run_01jcqz2b1m8x2v7n4b9c6d1f0g",
    "queued_at":"2026-11-15T09:00:00.000Z","started_at":"2026-11-15T09:00:00.250Z",
    "finished_at":"2026-11-15T09:59:59.900Z","duration_ms":3599650,
    "timeout_ms":5400000,"idle_timeout_ms":300000,"grace_ms":2500,
    "limits":{"memory":{"value":536870912,"by":"cgroup"},"cpus":{"value":1.5,"by":"none"},
              "output":{"value":10485760,"by":"keeper","then":"end"}},
    "cpu_ms":7123456,"peak_rss_bytes":536000000,"stdout_bytes":123456789,"stderr_bytes":0,
    "receipt":{"signalled":12,"term_at":"2026-11-15T09:59:59.800Z",
               "kill_at":"2026-11-15T09:59:59.900Z","orphans":3,"survivors":1,
               "survived":["4711 dd\u001b"],"dropped_bytes":2048,"cpu_user_ms":7000000,
               "cpu_system_ms":123456,"memory_peak_bytes":536870912,"read_bytes":0,
               "written_bytes":9876543210},
    "trace_id":"0af7651916cd43dd8448eb211c80319c"})");
}

}  // namespace drover::cli::golden
