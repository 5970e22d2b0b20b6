#include "api/daemon/status.h"

#include <unistd.h>

#include <algorithm>

#include "api/daemon/followers.h"
#include "api/http/fields.h"
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

// How many runs a stop does not end, although it ends every run that this daemon knows.
std::int64_t active_of_unknown_kinds(const Services& services) {
  const auto active = services.store.list({.active_only = true, .limit = limits::kQueuedMax});
  if (!active) return 0;
  return std::ranges::count_if(
      *active, [&](const run::Record& run) { return !services.kinds.knows(run.kind); });
}

}  // namespace

asio::awaitable<Result<Response>> show_status(Services& services, Request&) {
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
  const auto followers = followers_of(services);
  if (!followers.empty()) status["followers"] = describe(followers);
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
