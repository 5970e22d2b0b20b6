#include "api/daemon/metrics.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "api/daemon/exposition.h"
#include "api/daemon/followers.h"

namespace drover::api {
namespace {

double number(auto value) {
  return static_cast<double>(value);
}

void add_runs(Exposition& out, const Services& services) {
  static const spine::Tally kNothing;
  const spine::Tally& tally = services.tally == nullptr ? kNothing : *services.tally;

  out.counter("drover_runs_submitted_total", "Runs that were acknowledged.");
  for (const auto& [kind, runs] : tally.kinds) out.sample(number(runs.submitted), {{"kind", kind}});
  out.counter("drover_runs_total", "Runs that have finished, by their final state.");
  for (const auto& [kind, runs] : tally.kinds) {
    for (const run::State state : run::kStates) {
      if (run::is_active(state)) continue;
      out.sample(number(runs.ended[static_cast<size_t>(state)]),
                 {{"kind", kind}, {"state", run::name(state)}});
    }
  }
  out.gauge("drover_runs_active",
            "Runs that have not finished: queued or running (includes starting).")
      .sample(number(services.dispatcher.lanes().queued()), {{"state", "queued"}})
      .sample(number(services.dispatcher.lanes().active()), {{"state", "running"}});
  out.histogram("drover_run_duration_seconds",
                "Time from the start of a command until it finishes.");
  for (const auto& [kind, runs] : tally.kinds) out.sample(runs.duration, {{"kind", kind}});
  out.histogram("drover_queue_wait_seconds",
                "Time from the submission of a run until it gets a slot.")
      .sample(tally.queue_wait);
  out.histogram("drover_run_start_latency_seconds",
                "Time from the submission of a run until its command starts.")
      .sample(tally.start_latency);
  out.histogram("drover_cancel_duration_seconds",
                "Time from the request to cancel a run until it finishes, by its final state.");
  for (const auto& [state, took] : tally.cancel_duration) out.sample(took, {{"outcome", state}});
  out.counter("drover_runs_deleted_total", "Runs that were removed, by hand or by retention.")
      .sample(number(tally.deleted));
  out.counter("drover_log_bytes_total", "Bytes printed by runs that have finished.")
      .sample(number(tally.output_bytes));
  out.counter("drover_log_dropped_bytes_total", "Bytes of output that are not kept.")
      .sample(number(tally.dropped_bytes));
  out.counter("drover_orphans_reaped_total",
              "Processes that commands left behind and that were killed.")
      .sample(number(tally.orphans));
  out.counter("drover_recovered_runs_total",
              "Runs that the previous daemon left active, by the outcome of their recovery.");
  for (const dispatch::Remedy remedy : dispatch::kRemedies) {
    if (services.recovered == nullptr) break;
    out.sample(number(services.recovered->of(remedy)), {{"result", dispatch::name(remedy)}});
  }
  out.counter("drover_events_total", "Events that were written.").sample(number(tally.events));
  out.histogram("drover_event_append_seconds", "Time until a write is durable.")
      .sample(tally.append);
}

void add_lanes(Exposition& out, const Services& services) {
  const auto lanes = services.dispatcher.lanes().numbers();
  out.gauge("drover_lane_slots", "Maximum number of runs of a lane at once.");
  for (const auto& lane : lanes) out.sample(number(lane.limit), {{"lane", lane.name}});
  out.gauge("drover_lane_slots_used", "Runs of a lane that use a slot.");
  for (const auto& lane : lanes) out.sample(number(lane.active), {{"lane", lane.name}});
  out.gauge("drover_lane_queued", "Queued runs of a lane.");
  for (const auto& lane : lanes) out.sample(number(lane.queued), {{"lane", lane.name}});
  out.gauge("drover_lane_paused", "1 if the lane is paused.");
  for (const auto& lane : lanes) out.sample(lane.paused ? 1 : 0, {{"lane", lane.name}});
}

void add_followers(Exposition& out, const Services& services) {
  const auto followers = followers_of(services);
  if (followers.empty()) return;
  out.gauge("drover_follower_lag_events", "Events that a follower of the log has not read yet.");
  for (const auto& one : followers) out.sample(number(one.lag), {{"follower", one.name}});
  out.gauge("drover_follower_stopped", "1 if the follower has stopped at an event.");
  for (const auto& one : followers) {
    out.sample(one.stopped_at == 0 ? 0 : 1, {{"follower", one.name}});
  }
}

void add_doors(Exposition& out, const Services& services) {
  const Traffic& traffic = services.traffic;
  out.gauge("drover_http_connections", "Open connections.").sample(number(traffic.connections));
  out.counter("drover_http_requests_total", "Requests that were answered, by status.");
  for (const auto& [status, count] : traffic.answers) {
    out.sample(number(count), {{"code", std::to_string(status)}});
  }
  out.gauge("drover_sse_clients", "Open event streams.").sample(number(traffic.streams));
  out.counter("drover_sse_backpressure_disconnects_total",
              "Event streams that were closed because their client read too slowly.")
      .sample(number(traffic.lagged));
  out.counter("drover_refused_requests_total",
              "Cancels and deletes that were refused or repeated, by the type of their event.");
  for (const auto& [type, count] : traffic.refused_requests) {
    out.sample(number(count), {{"type", std::string(type)}});
  }
}

void add_loop(Exposition& out, const Services& services) {
  const LoopDelay& delay = services.loop_delay;
  out.histogram("drover_loop_delay_seconds",
                "How long the daemon's loop let a waiting handler wait.")
      .sample(delay.delays());
  out.counter("drover_loop_delays_beyond_bound_total",
              "Delays of the loop beyond its bound, which kept all clients waiting.")
      .sample(number(delay.beyond_bound()));
  out.gauge("drover_work_running", "Requests that threads beside the loop work on, by pool.")
      .sample(number(services.reads.pool().running()), {{"pool", "reads"}})
      .sample(number(services.workers.running()), {{"pool", "work"}});
  out.gauge("drover_work_waiting", "Requests that wait for such a thread, by pool.")
      .sample(number(services.reads.pool().waiting()), {{"pool", "reads"}})
      .sample(number(services.workers.waiting()), {{"pool", "work"}});
}

// The same names as in every Prometheus client library.
void add_process(Exposition& out, const Services& services) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return number(t.tv_sec) + number(t.tv_usec) / 1e6; };
  out.counter("process_cpu_seconds_total", "User and system CPU time.")
      .sample(seconds(usage.ru_utime) + seconds(usage.ru_stime));
  long long pages_virtual = 0;
  long long pages_resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%lld %lld", &pages_virtual, &pages_resident) != 2) pages_resident = 0;
    std::fclose(file);
  }
  const double page = number(::sysconf(_SC_PAGESIZE));
  out.gauge("process_virtual_memory_bytes", "Size of the address space.")
      .sample(number(pages_virtual) * page);
  out.gauge("process_resident_memory_bytes", "Resident memory.")
      .sample(number(pages_resident) * page);
  std::error_code bad;
  size_t open = 0;
  for (std::filesystem::directory_iterator it("/proc/self/fd", bad), end; !bad && it != end;
       it.increment(bad)) {
    ++open;
  }
  out.gauge("process_open_fds", "Open file descriptors.").sample(number(open));
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  out.gauge("process_max_fds", "Maximum number of open file descriptors.")
      .sample(number(limit.rlim_cur));
  out.gauge("process_start_time_seconds", "Start time of the daemon.")
      .sample(number(services.started_at) / 1000);
}

}  // namespace

asio::awaitable<Result<Response>> show_metrics(Services& services, Request&) {
  Exposition out;
  out.gauge("drover_build_info", "Always 1; the label is the version of Drover.")
      .sample(1, {{"version", DROVER_VERSION}, {"store", services.store_kind}});
  add_runs(out, services);
  add_lanes(out, services);
  add_followers(out, services);
  add_doors(out, services);
  add_loop(out, services);
  out.counter("drover_store_commits_total", "Transactions that were made durable.")
      .sample(number(services.store.commits()));
  add_process(out, services);
  Response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = out.take();
  co_return response;
}

}  // namespace drover::api
