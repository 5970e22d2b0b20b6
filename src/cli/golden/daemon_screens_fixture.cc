// status, lane ls, token ls.
#include "cli/golden/records_fixture.h"
#include "cli/golden/screens_fixture.h"
#include "cli/views/lanes_table.h"
#include "cli/views/status_view.h"
#include "cli/views/tokens_table.h"

namespace drover::cli::golden {
namespace {

constexpr std::string_view kQuiet = R"({"version":"0.1.0","pid":4711,
  "started_at":"2026-11-15T09:00:00.000Z","runs_active":1,"runs_queued":0,
  "keeps_running_for":[{"what":"running commands","count":1}],
  "followers":[{"name":"retention","cursor":"9","lag":0}],
  "socket":"/run/user/1000/drover/drover.sock","url":null,"url_trouble":null,
  "store":{"kind":"sqlite","path":"/home/ann/.local/state/drover/drover.db"},
  "home":{"config":"/home/ann/.config/drover","state":"/home/ann/.local/state/drover",
          "runtime":"/run/user/1000/drover"}})";

// Much to say, after a restore.
constexpr std::string_view kBusy = R"({"version":"0.1.0","pid":4711,
  "started_at":"2026-11-01T09:00:00.000Z","runs_active":12,"runs_queued":3400,
  "keeps_running_for":[{"what":"running commands","count":12},
                       {"what":"active triggers","count":1,"next_at":"2026-11-15T15:00:00.000Z"}],
  "followers":[{"name":"retention","cursor":"9","lag":1},
               {"name":"triggers","cursor":"3","lag":6,"stopped_at":"4",
                "reason":"the event \u001b[31m has no type"}],
  "restored":{"at":"2026-11-14T10:00:00.000Z","database_seq":3,"known_seq":9,"runs":1},
  "socket":"/run/user/1000/drover/drover.sock","url":null,
  "url_trouble":"cannot listen on 127.0.0.1:7777: the address is in use",
  "store":{"kind":"sqlite","path":"/home/ann/.local/state/drover/drover.db"},
  "home":{"config":"/home/ann/.config/drover","state":"/home/ann/.local/state/drover",
          "runtime":"/run/user/1000/drover"}})";

constexpr std::string_view kLanes = R"([
  {"name":"apps","limit":2,"active":0,"queued":0,"paused_at":null,"draining_at":null},
  {"name":"default","limit":256,"active":12,"queued":3400,"paused_at":null,"draining_at":null},
  {"name":"gpu","limit":1,"active":1,"queued":2,"paused_at":"2026-11-15T09:55:00.000Z",
   "draining_at":"2026-11-15T08:00:00.000Z"},
  {"name":"a-lane-with-quite-a-long-name.of-many-words_and-all-64-characters","limit":1,"active":0,
   "queued":0,"paused_at":null,"draining_at":null},
  {"name":"play","limit":64,"active":0,"queued":0,"paused_at":null,"draining_at":null}])";

constexpr std::string_view kTokens = R"([
  {"token_id":"tok_1f2e3d4c5b6a","kind":"token","can":"read,run,cancel","scope":"team/reports",
   "state":"valid","expires_at":"2026-11-16T10:00:00.000Z","revoked_at":null,"label":"the agent"},
  {"token_id":"tok_2f2e3d4c5b6a","kind":"session","can":"read","scope":"","state":"expired",
   "expires_at":"2026-11-14T10:00:00.000Z","revoked_at":null,"label":""},
  {"token_id":"tok_3f2e3d4c5b6a","kind":"token","can":"read","scope":"","state":"revoked",
   "expires_at":"2026-11-18T10:00:00.000Z","revoked_at":"2026-11-12T10:00:00.000Z",
   "label":"日本語 \u001b[2J and a label that is much too long for a narrow screen"}])";

}  // namespace

std::vector<GoldenScreen> daemon_screens() {
  const auto status = [](std::string_view json) {
    return
        [status = object(json)](const Screen& screen) { return status_page(status, screen, kNow); };
  };
  return {
      {"status", status(kQuiet)},
      {"status-busy", status(kBusy)},
      {"lane-ls", [](const Screen& screen) { return lanes_table(array(kLanes), screen, kNow); }},
      {"token-ls",
       [](const Screen& screen) { return tokens_table(array(kTokens), true, screen, kNow); }},
  };
}

}  // namespace drover::cli::golden
