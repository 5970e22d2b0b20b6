#include "api/daemon/status.h"

#include <unistd.h>

#include <algorithm>

#include "api/ask.h"
#include "api/daemon/followers.h"
#include "api/http/target.h"
#include "base/limits.h"
#include "requests/fields.h"
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

// The contents of the database. Everything but `evidence` has a bound.
boost::json::object describe(const store::StoreSizes& sizes) {
  return {{"database_bytes", sizes.file_bytes},
          {"free_bytes", sizes.free_bytes},
          {"runs", sizes.runs},
          {"events", sizes.events},
          {"evidence", sizes.evidence},
          {"keys", sizes.keys}};
}

// How many active runs `stop --kill` leaves alone, because this daemon does not know their kind.
Result<std::int64_t> active_of_unknown_kinds(store::Reads& store, const run::Kinds& kinds) {
  std::int64_t count = 0;
  store::Query query{.active_only = true, .limit = limits::kPageMax};
  while (true) {
    const auto page = store.list(query);
    if (!page) return std::unexpected(page.error());
    count += std::ranges::count_if(*page,
                                   [&](const run::Record& run) { return !kinds.knows(run.kind); });
    if (page->size() < query.limit) return count;
    query.before = page->back().number;
  }
}

// The last restore of an older database; empty: there was none.
boost::json::object last_restore(store::Reads& store) {
  const auto rows = store.query(
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

// "2 running commands" and what the rooms add.
boost::json::array describe(const std::vector<RunningReason>& reasons, size_t running) {
  boost::json::array out;
  const auto add = [&](const RunningReason& one) {
    if (one.count == 0) return;
    boost::json::object entry{{"what", one.what}, {"count", one.count}};
    if (one.next_at) entry["next_at"] = rfc3339(*one.next_at);
    out.push_back(std::move(entry));
  };
  add({.what = "running commands", .count = static_cast<std::int64_t>(running)});
  for (const RunningReason& one : reasons) add(one);
  return out;
}

}  // namespace

asio::awaitable<Result<Response>> show_status(Services& services, Request& request) {
  const auto with_sizes = flag_in(request.query, "sizes");
  if (!with_sizes) co_return std::unexpected(with_sizes.error());
  struct Stored {
    boost::json::object restored;
    std::optional<store::StoreSizes> sizes;
    std::vector<RunningReason> reasons;
  };
  auto stored = co_await ask(
      services, request,
      [with_sizes = *with_sizes, keeps = services.keeps](store::Reads& store) -> Result<Stored> {
        Stored out{.restored = last_restore(store), .sizes = {}, .reasons = {}};
        for (const KeepsRunning query : keeps) {
          auto reasons = query(store);
          if (!reasons) return std::unexpected(reasons.error());
          out.reasons.push_back(std::move(*reasons));
        }
        if (!with_sizes) return out;
        auto sizes = store.sizes();
        if (!sizes) return std::unexpected(sizes.error());
        out.sizes = *sizes;
        return out;
      });
  if (!stored) co_return std::unexpected(stored.error());
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
      {"keeps_running_for", describe(stored->reasons, services.dispatcher.lanes().active())},
      {"limits", limits_of(services)},
      {"store", {{"kind", services.store_kind}, {"path", home.database()}}}};
  if (!stored->restored.empty()) status["restored"] = std::move(stored->restored);
  // Said only if it is news: a loop that translates only is never late.
  if (const LoopDelay& delay = services.loop_delay; delay.beyond_bound() > 0) {
    status["slow_loop"] = {{"times", delay.beyond_bound()},
                           {"longest_ms", delay.longest_ms()},
                           {"bound_ms", limits::kLoopTurnMs}};
  }
  const auto followers = followers_of(services);
  if (!followers.empty()) status["followers"] = describe(followers);
  if (stored->sizes) status["sizes"] = describe(*stored->sizes);
  co_return answer_json(200, status);
}

asio::awaitable<Result<Response>> stop_daemon(Services& services, Request& request) {
  bool kill = false;
  {
    requests::Fields fields(request.body);
    fields.flag("kill", kill);
    if (auto ok = fields.finish(); !ok) co_return std::unexpected(ok.error());
  }
  boost::json::object body{{"pid", ::getpid()}, {"outcome", "stopping"}, {"kill", kill}};
  if (kill) {
    const auto left_alone =
        co_await ask(services, request, [&kinds = services.kinds](store::Reads& store) {
          return active_of_unknown_kinds(store, kinds);
        });
    body["left_alone"] = left_alone.value_or(0);
  }
  Response response = answer_json(202, body);
  response.afterwards = [&services, kill] {
    if (services.stop) services.stop(kill);
  };
  co_return response;
}

}  // namespace drover::api
