#include "api/daemon/status.h"

#include <unistd.h>

#include <algorithm>

#include "api/daemon/followers.h"
#include "api/http/fields.h"
#include "api/http/target.h"
#include "base/limits.h"
#include "run/kind.h"

namespace drover::api {
namespace {

boost::json::value text_or_null(const std::string& text) {
  if (text.empty()) return nullptr;
  return boost::json::string(text);
}

// How each resource limit of a run would be enforced here.
boost::json::object limits_of(const Services& services) {
  const LimitEnforcement means =
      means_of({.memory_bytes = 1, .cpu_milli = 1, .pids = 1}, services.controllers);
  return {{"memory", name(means.memory)},
          {"cpus", name(means.cpus)},
          {"pids", name(means.pids)},
          {"no_cgroups", text_or_null(services.no_cgroups)}};
}

// What the database holds. Everything but `evidence` has a bound.
Result<boost::json::object> sizes_of(Services& services) {
  const auto sizes = services.store.sizes();
  if (!sizes) return std::unexpected(sizes.error());
  return boost::json::object{{"database_bytes", sizes->file_bytes},
                             {"free_bytes", sizes->free_bytes},
                             {"runs", sizes->runs},
                             {"events", sizes->events},
                             {"evidence", sizes->evidence},
                             {"keys", sizes->keys}};
}

// How many active runs `stop --kill` leaves alone, because this daemon does not know their kind.
std::int64_t active_of_unknown_kinds(const Services& services) {
  const auto active = services.store.list({.active_only = true, .limit = limits::kQueuedMax});
  if (!active) return 0;
  return std::ranges::count_if(
      *active, [&](const run::Record& run) { return !services.kinds.knows(run.kind); });
}

// The last restore of an older database; empty: there was none.
boost::json::object last_restore(Services& services) {
  const auto rows = services.store.query(
      "SELECT at, database_seq, known_seq, coalesce(taken_up, 0) FROM restores "
      "ORDER BY seq DESC LIMIT 1",
      {});
  if (!rows || rows->empty()) return {};
  const store::Values& row = rows->front();
  return {{"at", rfc3339(row[0].integer())},
          {"database_seq", row[1].integer()},
          {"known_seq", row[2].integer()},
          {"runs", row[3].integer()}};
}

}  // namespace

asio::awaitable<Result<Response>> show_status(Services& services, Request& request) {
  const auto with_sizes = flag_in(request.query, "sizes");
  if (!with_sizes) co_return std::unexpected(with_sizes.error());
  const Home& home = services.home;
  boost::json::object status{
      {"pid", ::getpid()},
      {"version", DROVER_VERSION},
      {"home", {{"config", home.config}, {"state", home.state}, {"runtime", home.runtime}}},
      {"socket", home.socket()},
      {"url", text_or_null(services.tcp_url)},
      {"url_trouble", text_or_null(services.tcp_trouble)},
      {"started_at", rfc3339(services.started_at)},
      {"runs_active", services.dispatcher.lanes().active()},
      {"runs_queued", services.dispatcher.lanes().queued()},
      {"limits", limits_of(services)},
      {"store", {{"kind", services.store_kind}, {"path", home.database()}}}};
  if (auto restored = last_restore(services); !restored.empty()) {
    status["restored"] = std::move(restored);
  }
  const auto followers = followers_of(services);
  if (!followers.empty()) status["followers"] = describe(followers);
  if (*with_sizes) {
    auto sizes = sizes_of(services);
    if (!sizes) co_return std::unexpected(sizes.error());
    status["sizes"] = std::move(*sizes);
  }
  co_return answer_json(200, status);
}

asio::awaitable<Result<Response>> stop_daemon(Services& services, Request& request) {
  bool kill = false;
  {
    Fields fields(request.body);
    fields.flag("kill", kill);
    if (auto ok = fields.finish(); !ok) co_return std::unexpected(ok.error());
  }
  boost::json::object body{{"pid", ::getpid()}, {"outcome", "stopping"}, {"kill", kill}};
  if (kill) body["left_alone"] = active_of_unknown_kinds(services);
  Response response = answer_json(202, body);
  response.afterwards = [&services, kill] {
    if (services.stop) services.stop(kill);
  };
  co_return response;
}

}  // namespace drover::api
