// why TRIGGER, trigger test, ls, show, history.
#include "cli/commands/triggers/trial_page.h"
#include "cli/commands/triggers/trigger_view.h"
#include "cli/commands/triggers/why_page.h"
#include "cli/golden/records_fixture.h"
#include "cli/golden/screens_fixture.h"

namespace drover::cli::golden {
namespace {

constexpr std::string_view kMissed = R"({"trigger":"nightly","source":"cron","state":"active",
  "when":"0 3 * * *","paused_at":null,"next_at":"2026-11-16T02:00:00.000Z",
  "errors":0,"backoff_until":null,"at":"2026-11-15T02:00:00.000Z","verdict":"recorded",
  "entry":{"slot":"2026-11-15T02:00:00.000Z","due_at":"2026-11-15T02:00:00.000Z",
           "decided_at":"2026-11-15T08:12:00.000Z","outcome":"missed",
           "reason":"policy_skip: the daemon was not running","run_id":null},
  "cause":"the daemon was not running; missed: skip","run":null,"active":[]})";

constexpr std::string_view kLate = R"({"trigger":"nightly","source":"cron","state":"backoff",
  "when":"0 3 * * *","paused_at":null,"next_at":"2026-11-16T03:00:00.000Z",
  "errors":3,"backoff_until":"2026-11-15T10:05:00.000Z","at":null,"verdict":"recorded",
  "entry":{"slot":"2026-11-15T03:00:00.000Z","due_at":"2026-11-15T03:00:00.000Z",
           "decided_at":"2026-11-15T08:12:00.000Z","outcome":"fired",
           "reason":"caught_up: the daemon was not running",
           "run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g"},
  "cause":"the daemon was not running",
  "run":{"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","state":"failed"},"active":[]})";

constexpr std::string_view kNotDue = R"({"trigger":"nightly","source":"cron","state":"paused",
  "when":"0 3 * * *","paused_at":"2026-11-14T10:00:00.000Z","next_at":null,
  "errors":0,"backoff_until":null,"at":"2026-11-15T04:30:00.000Z","verdict":"not_due",
  "due_before":"2026-11-15T03:00:00.000Z","due_after":"2026-11-16T03:00:00.000Z",
  "run":null,"active":[{"run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","state":"running"}]})";

constexpr std::string_view kEvent = R"({"trigger":"deploy","source":"webhook","state":"active",
  "when":"webhook /hooks/github/site","paused_at":null,"next_at":null,
  "errors":0,"backoff_until":null,"at":null,"verdict":"recorded",
  "entry":{"event_id":"evt_1","due_at":"2026-11-15T09:58:00.000Z",
           "decided_at":"2026-11-15T09:58:00.000Z","outcome":"skipped",
           "reason":"filter: filter payload.ref eq refs/heads/main: it does not hold",
           "value":"refs/heads/next","run_id":null},
  "cause":"filter payload.ref eq refs/heads/main: it does not hold","run":null,"active":[],
  "warning":"other users can read /home/ann/deploy.secret"})";

// Fired by hand while its last run was still active; its next due time has passed.
constexpr std::string_view kByHand = R"({"trigger":"slow","source":"every","state":"active",
  "when":"every 1h","paused_at":null,"next_at":"2026-11-15T09:59:59.000Z",
  "errors":0,"backoff_until":null,"at":null,"verdict":"recorded",
  "entry":{"event_id":"evt_1","due_at":"2026-11-15T09:58:00.000Z",
           "decided_at":"2026-11-15T09:58:00.000Z","outcome":"skipped",
           "reason":"overlap: its last run is still active","run_id":null},
  "cause":"its last run was still active; overlap: skip","run":null,"active":[]})";

// Its first due time has passed, and is not decided yet.
constexpr std::string_view kFirstPassed = R"({"trigger":"slow","source":"every","state":"active",
  "when":"every 1h","paused_at":null,"next_at":"2026-11-15T09:59:59.000Z",
  "errors":0,"backoff_until":null,"at":"2026-11-15T09:30:00.000Z","verdict":"not_due",
  "due_before":null,"due_after":"2026-11-15T09:59:59.000Z","run":null,"active":[]})";

constexpr std::string_view kTrial = R"({"trigger":"deploy","would_run":false,"obstacle":"filter",
  "checks":[{"check":"type","passes":true,"text":"deploy.done matches deploy.*"},
            {"check":"pause","passes":true,"text":"the trigger is not paused"},
            {"check":"filter","passes":false,"text":"payload.size lt 1000: it does not hold","value":2000},
            {"check":"dedup","passes":true,"text":"no event had this key within 5m"},
            {"check":"overlap","passes":false,
             "text":"its last run, run_01jcqz5k3m8x2v7n4b9c6d1f0g, is still active; overlap: skip"}],
  "run":{"command":["./deploy.sh","--fast"],"cwd":"/home/ann/site","lane":"gpu"},
  "env_names":["KEY","TOKEN"],"in_file":false,
  "drover_trigger":{"trigger":"deploy","source":"event",
                    "event":{"id":"evt_test","type":"deploy.done","payload":{"size":2000}}}})";

constexpr std::string_view kTrialOfTime =
    R"({"trigger":"nightly","would_run":false,"obstacle":"due",
  "slot":"2026-11-15T12:00:00.000Z","due_at":"2026-11-15T12:00:00.000Z",
  "due_before":"2026-11-15T03:00:00.000Z","due_after":"2026-11-16T03:00:00.000Z",
  "checks":[{"check":"due","passes":false,"text":"it is not a due time"},
            {"check":"backoff","passes":false,"text":"it skips due times after 2 failed runs in a row",
             "until":"2026-11-15T13:00:00.000Z"}],
  "run":{"shell":"make backup","cwd":"/home/ann"},"env_names":[],"in_file":false,
  "drover_trigger":{"trigger":"nightly","source":"cron","slot":"2026-11-15T12:00:00.000Z"}})";

constexpr std::string_view kTriggers = R"json([
  {"name":"nightly","source":{"type":"cron","cron":"0 3 * * *","tz":"Europe/Berlin"},
   "when":"0 3 * * * (Europe/Berlin)","state":"active","next_at":"2026-11-16T03:00:00.000Z",
   "last":{"outcome":"fired","due_at":"2026-11-15T03:00:00.000Z","reason":null,
           "run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g"},
   "run":{"command":["tar","-czf","/backup/a b.tar.gz","it's"],"cwd":"/home/ann","lane":"default"},
   "missed":"coalesce","overlap":"skip","jitter":"0s","errors":0,"env_names":["KEY","TOKEN"],
   "filters":[],"totals":{"fired":41,"skipped":2,"coalesced":0,"missed":1}},
  {"name":"sync","source":"every","when":"every 10m","state":"backoff",
   "next_at":"2026-11-15T10:09:00.000Z","backoff_until":"2026-11-15T10:05:00.000Z",
   "last":{"outcome":"skipped","due_at":"2026-11-15T09:59:00.000Z",
           "reason":"overlap: its last run, run_01jcqz5k3m8x2v7n4b9c6d1f0g, is still active"},
   "run":{"shell":"./sync && \u001b[2J touch 訓練","cwd":"/home/ann"},"errors":3},
  {"name":"deploy","source":"webhook","when":"webhook /hooks/github/site","state":"active",
   "next_at":null,"last":{},
   "filters":[{"field":"payload.ref","op":"eq","value":"refs/heads/main"}],
   "run":{"command":["./deploy.sh"],"cwd":"/home/ann/site"}},
  {"name":"once","source":"at","when":"at 2026-11-14 10:00","state":"done","next_at":null,
   "last":{"outcome":"missed","due_at":"2026-11-14T10:00:00.000Z",
           "reason":"policy_skip: the daemon was not running"},
   "run":{"command":["echo","done"]}},
  {"name":"party","source":{"type":"once","at":"2026-12-24T18:00:00.000Z"},
   "when":"once at 2026-12-24T18:00:00.000Z","state":"active",
   "next_at":"2026-12-24T18:00:00.000Z","last":{},
   "run":{"command":["./lights.sh"],"cwd":"/home/ann","lane":"gpu","priority":5,
          "labels":{"a":"b","team":"home"},"timeout":"5m","idle_timeout":"1m","grace":"10s",
          "retry":{"max":2,"backoff":"1s"},
          "limits":{"memory":1073741824,"cpus":1.5,"pids":200}}},
  {"name":"prices","when":"page https://example.org/prices","state":"active",
   "source":{"type":"page","url":"https://example.org/prices","selector":"#list li",
             "interval":"5m","allow_private":true},
   "next_at":"2026-11-15T10:09:00.000Z","last":{},"dedup":"10m","missed":"all",
   "missed_window":"7d","run":{"command":["./buy"],"cwd":"/home/ann"},
   "warning":"the last 3 polls failed: unreachable: cannot connect to the server"},
  {"name":"inbox","when":"files in /srv/in *.csv","state":"active",
   "source":{"type":"file","root":"/srv/in","globs":["*.csv"],"on":["created","moved"],
             "ignore":["tmp/","*.part"],"settle":"2s"},
   "next_at":null,"last":{},"run":{"command":["./load"],"cwd":"/home/ann"},
   "declared_in":"/home/ann/.config/drover/triggers.d/mine.toml",
   "warning":"/srv/in does not exist"}])json";

constexpr std::string_view kHistory = R"([
  {"due_at":"2026-11-15T03:00:00.000Z","outcome":"fired","reason":null,
   "run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g"},
  {"due_at":"2026-11-14T03:00:00.000Z","outcome":"missed","count":3,
   "reason":"policy_skip: the daemon was not running","run_id":null},
  {"due_at":"2026-11-11T03:00:00.000Z","outcome":"skipped",
   "reason":"overlap: its last run, run_01jcqz5k3m8x2v7n4b9c6d1f0g, is still active","run_id":null},
  {"due_at":"2026-11-10T03:00:00.000Z","outcome":"skipped",
   "reason":"filter: filter payload.size lt 1000: it does not hold","value":2000,"run_id":null},
  {"due_at":"2026-11-09T03:00:00.000Z","outcome":"skipped",
   "reason":"duplicate: of evt_01jcqz5k3m8x2v7n4b9c6d1f0g","run_id":null}])";

}  // namespace

std::vector<GoldenScreen> trigger_screens() {
  const auto show = [](size_t at) {
    return [trigger = array(kTriggers)[at].get_object()](const Screen& screen) {
      return trigger_page(screen, trigger, kNow);
    };
  };
  const auto why = [](std::string_view json) {
    return
        [why = object(json)](const Screen& screen) { return trigger_why_page(why, screen, kNow); };
  };
  const auto trial = [](std::string_view json) {
    return [trial = object(json)](const Screen& screen) { return trial_page(trial, screen, kNow); };
  };
  return {
      {"why-trigger-missed", why(kMissed)},
      {"why-trigger-late", why(kLate)},
      {"why-trigger-not-due", why(kNotDue)},
      {"why-trigger-event", why(kEvent)},
      {"why-trigger-by-hand", why(kByHand)},
      {"why-trigger-first-passed", why(kFirstPassed)},
      {"trigger-test-event", trial(kTrial)},
      {"trigger-test-time", trial(kTrialOfTime)},
      {"trigger-show", show(0)},
      {"trigger-show-backoff", show(1)},
      {"trigger-show-event", show(2)},
      {"trigger-show-once", show(4)},
      {"trigger-show-page", show(5)},
      {"trigger-show-files", show(6)},
      {"trigger-ls", [](const Screen& s) { return triggers_table(array(kTriggers), s, kNow); }},
      {"trigger-history", [](const Screen& s) { return ledger_table(array(kHistory), s); }},
  };
}

}  // namespace drover::cli::golden
