// play status and play feed.
#include "cli/commands/play/play_view.h"
#include "cli/golden/records_fixture.h"
#include "cli/golden/screens_fixture.h"

namespace drover::cli::golden {
namespace {

constexpr std::string_view kFeed = R"([
  {"time":"2026-11-15T09:00:00.000Z","state":"preparing","step":"build","run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g"},
  {"time":"2026-11-15T09:00:10.000Z","state":"connecting","step":"runtime","run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g"},
  {"time":"2026-11-15T09:00:11.000Z","state":"running","step":"runtime","run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g"},
  {"time":"2026-11-15T09:30:00.000Z","state":"stopped","run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g"},
  {"time":"2026-11-15T09:40:00.000Z","state":"prepare_failed","step":"validation","code":"exit_nonzero",
   "message":"validation failed: 検証 ✅ exited with code 1; its log has 12 errors\u001b[2J and 3 warnings",
   "run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0h"},
  {"state":"a state of a newer daemon","run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0i"}])";

constexpr std::string_view kFailed = R"({"project":"a-project-with-a-name-of-some-length",
  "state":"runtime_failed","run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","step":"runtime",
  "code":"runtime_path_not_found","runtime_run_id":null,"exit_code":null,"signal":11,
  "message":"runtime: /opt/a/path/to/the/runtime/that/is/not/there: No such file or directory; correct \"runtimePath\" in /src/game/.drover/setup.json",
  "started_at":"2026-11-15T09:00:00.000Z","finished_at":"2026-11-15T09:00:10.000Z"})";

constexpr std::string_view kWaiting = R"({"project":"game","state":"preparing",
  "run_id":"run_01jcqz5k3m8x2v7n4b9c6d1f0g","step":"build",
  "obstacles":[{"text":"lane play is paused; resume it with `drover lane resume play`"}],
  "started_at":"2026-11-15T09:00:00.000Z","finished_at":null})";

}  // namespace

std::vector<GoldenScreen> play_screens() {
  const auto feed = [](std::string_view json) {
    return [entries = array(json)](const Screen& screen) { return feed_table(screen, entries); };
  };
  const auto status = [](std::string_view json) {
    return [session = object(json)](const Screen& screen) { return session_page(screen, session); };
  };
  return {
      {"play-feed", feed(kFeed)},
      {"play-feed-empty", feed("[]")},
      {"play-status-failed", status(kFailed)},
      {"play-status-waiting", status(kWaiting)},
      {"play-status-idle", status(R"({"project":"game","state":"idle","run_id":null})")},
  };
}

}  // namespace drover::cli::golden
