#include "cmd/daemon.h"
#include "cmd/idle_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "access/gate.h"
#include "api/core_routes.h"
#include "api/http/server.h"
#include "base/background.h"
#include "base/crash_point.h"
#include "base/home_lock.h"
#include "base/journal.h"
#include "base/short_turns.h"
#include "bus/bell.h"
#include "cmd/idle_memory.h"
#include "cmd/lost_database.h"
#include "cmd/runtime_watch.h"
#include "conduct/conductor.h"
#include "dispatch/readiness/probe_record.h"
#include "dispatch/run_dispatcher.h"
#include "follow/cursor.h"
#include "follow/followers.h"
#include "log/log.h"
#include "process/cgroup_place.h"
#include "process/cgroup_search.h"
#include "process/pid_ref.h"
#include "queries/old_reserves.h"
#include "queries/output_watch.h"
#include "spine/spine.h"
#include "store/sqlite/sqlite_store.h"

extern char** environ;

namespace drover {
namespace {

namespace asio = boost::asio;

run::Kinds kinds_of(RoomList rooms) {
  std::vector<std::span<const run::Kind>> kinds;
  for (const Room* room : rooms) kinds.push_back(room->kinds);
  return run::Kinds(kinds);
}

std::vector<store::RoomSchema> tables_of(RoomList rooms) {
  std::vector<store::RoomSchema> tables{access::kTokenTables, follow::kTables,
                                        dispatch::kProbeTables};
  for (const Room* room : rooms) {
    if (room->tables != nullptr) tables.push_back(*room->tables);
  }
  return tables;
}

std::vector<api::RouteGroup> routes_of(RoomList rooms) {
  std::vector<api::RouteGroup> groups;
  for (const Room* room : rooms) {
    if (room->routes != nullptr) groups.push_back(room->routes());
  }
  return api::routes_with(groups);
}

std::vector<api::KeepsRunning> keeps_of(RoomList rooms) {
  std::vector<api::KeepsRunning> out;
  for (const Room* room : rooms) {
    if (room->keeps != nullptr) out.push_back(room->keeps);
  }
  return out;
}

// All processes of a run end with it (R7): a daemon inside a run of its own home would be killed
// with that run, and with it everything it started for others.
Result<> check_place(const Home& home) {
  const char* mark = std::getenv("DROVER_RUN_ID");
  const auto id = RunId::parse(mark == nullptr ? "" : mark);
  if (!id) return {};
  const auto journal = read_journal_state(home.run_file(*id));
  // A run of another home, or a finished one.
  if (!journal || journal->liveness != Liveness::alive) return {};
  return fail(ErrorCode::conflict, "inside_a_run",
              "this shell is inside " + id->str() +
                  ", and a daemon started here would be killed with it; start it " +
                  "outside of a run, with any drover command");
}

// Without /proc, processes cannot be identified or watched.
Result<> check_proc() {
  if (process::boot_id().text[0] != '\0') return {};
  return fail(ErrorCode::unavailable, "no_proc",
              "/proc is not mounted, and Drover cannot supervise processes without it; mount it "
              "and try again");
}

// Each client, each followed log and each adopted keeper needs a descriptor. Returns the previous
// limit, which commands get.
std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const std::uint64_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return before;
}

// Called before the cradle is started: the cradle must be in a cgroup that may contain processes.
process::CgroupPlace find_cgroups(const Home& home) {
  const char* wished = std::getenv("DROVER_CGROUP");
  if (wished != nullptr && std::string_view(wished) == "off") {
    return {.directory = {}, .controllers = {}, .why_not = "DROVER_CGROUP is off"};
  }
  auto place = process::prepare_cgroups(wished != nullptr ? wished : process::own_cgroup(),
                                        process::place_name(home.state));
  if (!place.directory.empty()) log::info("runs are contained by cgroups in {}", place.directory);
  if (!place.why_not.empty()) log::info("limits are enforced without cgroups: {}", place.why_not);
  return place;
}

std::vector<std::string> own_environment() {
  std::vector<std::string> out;
  for (char** variable = environ; *variable != nullptr; ++variable) out.emplace_back(*variable);
  return out;
}

}  // namespace

struct Daemon::Parts {
  explicit Parts(RoomList list) : rooms(list) {}

  DaemonOptions options;
  Fd lock;
  SystemClock clock;
  RoomList rooms;
  requests::DaemonEnvironment environment{own_environment()};
  const run::Kinds kinds = kinds_of(rooms);
  asio::io_context loop{1};
  std::unique_ptr<store::SqliteStore> store;
  std::optional<store::ReadPool> reads;
  std::optional<work::Pool> workers;
  std::optional<IdleMemory> idle_memory;
  std::optional<bus::Bell> bell;
  std::optional<spine::Spine> spine;
  std::optional<access::Gate> gate;
  std::optional<queries::ExactReaders> exact_readers;
  std::optional<dispatch::RunDispatcher> dispatcher;
  dispatch::PageReaders page_readers{clock};
  std::optional<dispatch::Retention> retention;
  std::optional<conduct::Conductor> conductor;
  std::optional<follow::Followers> followers;
  std::optional<dispatch::CompactionRounds> compaction;
  std::vector<std::unique_ptr<RoomService>> services;
  std::optional<queries::OutputWatch> output_watch;
  std::shared_ptr<api::Tls> tls;
  std::optional<api::Server> server;
  std::optional<RuntimeWatch> runtime_watch;
  std::optional<asio::signal_set> signals;
  bool stopping = false;
  bool killing = false;

  DaemonParts for_rooms();
  std::vector<conduct::Script> scripts_of_rooms();
  std::vector<follow::Follower> followers_of_rooms();
  asio::awaitable<Result<>> begin(std::function<void()> ready);
  void obey_signals();
  void stop(bool kill);
};

Daemon::Daemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Daemon::~Daemon() = default;

Result<std::unique_ptr<Daemon>> Daemon::open(DaemonOptions options, RoomList rooms) {
  auto parts = std::make_unique<Parts>(rooms);
  parts->options = std::move(options);
  const Home& home = parts->options.home;
  if (auto there = check_proc(); !there) return std::unexpected(there.error());
  if (auto placed = check_place(home); !placed) return std::unexpected(placed.error());
  if (auto made = home.create(); !made) return std::unexpected(made.error());
  auto lock = take_home(home);
  if (!lock) return std::unexpected(lock.error());
  parts->lock = std::move(*lock);
  crash_point("daemon.home_taken");
  note_lost_database(home);
  auto store = store::SqliteStore::open(
      home.database(), parts->clock,
      {.kinds = &parts->kinds, .rooms = tables_of(rooms), .generation = home.generation()});
  if (!store) return std::unexpected(store.error());
  parts->store = std::move(*store);
  crash_point("daemon.store_open");
  if (!parts->options.tls_cert.empty()) {
    auto tls = api::Tls::open(parts->options.tls_cert, parts->options.tls_key);
    if (!tls) return std::unexpected(tls.error());
    parts->tls = std::move(*tls);
  }
  auto keys = access::Keys::open(home.owner_token());
  if (!keys) return std::unexpected(keys.error());
  auto last_seq = parts->store->last_seq();
  if (!last_seq) return std::unexpected(last_seq.error());

  const auto loop = parts->loop.get_executor();
  parts->reads.emplace(loop, *parts->store);
  parts->reads->open_all();
  parts->workers.emplace(loop, work::Bounds{});
  parts->idle_memory.emplace(loop, std::vector{&parts->reads->pool(), &*parts->workers});
  parts->bell.emplace(*parts->store, *last_seq);
  parts->bell->read_with(*parts->reads);
  parts->spine.emplace(loop, *parts->store, *parts->bell);
  const spine::Recorder record = [spine = &*parts->spine](store::Write write) {
    return spine->record(std::move(write));
  };
  parts->gate.emplace(std::move(*keys), loop, *parts->reads, *parts->bell, parts->clock, record);
  if (auto loaded = parts->gate->load(*parts->store); !loaded)
    return std::unexpected(loaded.error());
  const process::CgroupPlace cgroups = find_cgroups(home);
  queries::ExactReaders* readers = &parts->exact_readers.emplace(loop, home, *parts->reads);
  parts->dispatcher.emplace(
      loop, home,
      dispatch::DispatcherOptions{
          .keeper_program = parts->options.programs + "/drover-keeper",
          .umask = parts->options.umask,
          .descriptors_max = raise_descriptor_limit(),
          .cgroups = cgroups,
          .adopts_orphans = true,
          .token_of = [gate = &*parts->gate](const RunId& id) { return gate->of_run(id); },
          .exact_output = {.may_have_reader =
                               [readers](const RunId& id) { return readers->may_have_reader(id); },
                           .may_remain = [readers](const RunId& id) { readers->expect(id); }},
          .kinds = &parts->kinds},
      parts->clock, *parts->reads, *parts->spine);
  parts->conductor.emplace(conduct::Parts{.loop = loop,
                                          .home = home,
                                          .programs = parts->options.programs,
                                          .reads = *parts->reads,
                                          .bell = *parts->bell,
                                          .dispatcher = *parts->dispatcher,
                                          .record = record,
                                          .kinds = parts->kinds},
                           parts->scripts_of_rooms());
  parts->followers.emplace(loop, *parts->reads, *parts->bell, record);
  api::Rooms objects;
  for (const Room* room : rooms) {
    if (room->service == nullptr) continue;
    parts->services.push_back(room->service(parts->for_rooms(), objects));
  }
  parts->output_watch.emplace(loop);
  const char* user_directory = std::getenv("HOME");
  parts->server.emplace(
      api::Services{.loop = loop,
                    .dispatcher = *parts->dispatcher,
                    .store = *parts->store,
                    .reads = *parts->reads,
                    .workers = *parts->workers,
                    .bell = *parts->bell,
                    .clock = parts->clock,
                    .kinds = parts->kinds,
                    .gate = *parts->gate,
                    .rooms = std::move(objects),
                    .keeps = keeps_of(rooms),
                    .home = home,
                    .output_watch = *parts->output_watch,
                    .exact_readers = *parts->exact_readers,
                    .routes = routes_of(rooms),
                    .record = record,
                    .followers = &*parts->followers,
                    .page_readers = &parts->page_readers,
                    .environment = &parts->environment,
                    .programs = parts->options.programs,
                    .user_directory = user_directory == nullptr ? "/" : user_directory,
                    .started_at = parts->clock.wall_ms(),
                    .controllers = cgroups.controllers,
                    .no_cgroups = cgroups.why_not,
                    .stop = [p = parts.get()](bool kill) { p->stop(kill); },
                    .stopping = [p = parts.get()] { return p->stopping; },
                    .tally = &parts->spine->tally(),
                    .recovered = &parts->dispatcher->recovered()});
  return std::unique_ptr<Daemon>(new Daemon(std::move(parts)));
}

Result<> Daemon::run(std::function<void()> ready) {
  Parts& p = *parts_;
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGHUP, SIG_IGN);
  p.signals.emplace(p.loop, SIGTERM, SIGINT);
  p.obey_signals();
  take_short_turns();
  Result<> begun;
  asio::co_spawn(p.loop, p.begin(std::move(ready)), [&](std::exception_ptr bug, Result<> result) {
    if (bug) std::rethrow_exception(bug);
    begun = std::move(result);
    if (!begun) p.loop.stop();
  });
  p.loop.run();
  return begun;
}

DaemonParts Daemon::Parts::for_rooms() {
  return {.loop = loop.get_executor(),
          .home = options.home,
          .programs = options.programs,
          .clock = clock,
          .at_startup = *store,
          .reads = *reads,
          .workers = *workers,
          .bell = *bell,
          .dispatcher = *dispatcher,
          .environment = environment,
          .record = [this](store::Write write) { return spine->record(std::move(write)); }};
}

std::vector<conduct::Script> Daemon::Parts::scripts_of_rooms() {
  std::vector<conduct::Script> all;
  for (const Room* room : rooms) {
    if (room->scripts == nullptr) continue;
    for (conduct::Script& one : room->scripts(for_rooms())) all.push_back(std::move(one));
  }
  return all;
}

std::vector<follow::Follower> Daemon::Parts::followers_of_rooms() {
  std::vector<follow::Follower> all;
  for (const Room* room : rooms) {
    if (room->followers == nullptr) continue;
    for (follow::Follower& one : room->followers(for_rooms())) all.push_back(std::move(one));
  }
  for (const auto& service : services) {
    for (follow::Follower& one : service->followers()) all.push_back(std::move(one));
  }
  return all;
}

asio::awaitable<Result<>> Daemon::Parts::begin(std::function<void()> ready) {
  if (auto recovered = co_await dispatcher->recover(*store); !recovered) co_return recovered;
  if (auto resumed = co_await conductor->resume(); !resumed) co_return resumed;
  if (auto begun = co_await followers->begin(followers_of_rooms()); !begun) co_return begun;
  for (const auto& service : services) service->begin();
  const auto listen = [this] { return server->listen(options.home.socket()); };
  if (auto listening = listen(); !listening) co_return listening;
  runtime_watch.emplace(loop.get_executor(), options.home, listen);
  runtime_watch->begin();
  if (options.listen) server->try_listen_tcp(*options.listen, tls);
  crash_point("daemon.listening");
  asio::co_spawn(loop, queries::remove_old_reserves(*exact_readers, *reads, options.home),
                 in_background);
  log::info("ready: pid {}, version {}, socket {}", ::getpid(), DROVER_VERSION,
            options.home.socket());
  retention.emplace(options.retention, *reads, *bell, *dispatcher, &page_readers);
  asio::co_spawn(loop, retention->keep_pruning(clock), in_background);
  compaction.emplace(
      options.compaction, [this](store::Write write) { return spine->record(std::move(write)); },
      [this] { return followers->read_by_all(); });
  asio::co_spawn(loop, compaction->keep_compacting(clock), in_background);
  ready();
  co_return Result<>{};
}

// The first signal asks the daemon to stop, the second makes it exit at once. Its runs continue.
void Daemon::Parts::obey_signals() {
  signals->async_wait([this](boost::system::error_code error, int number) {
    if (error) return;
    log::info("stopping: signal {}", number);
    if (stopping) {  // Everything that was acknowledged is durable.
      if (runtime_watch) runtime_watch->stop();
      ::unlink(options.home.socket().c_str());
      std::_Exit(0);
    }
    stop(false);
    obey_signals();
  });
}

void Daemon::Parts::stop(bool kill) {
  const bool first = !std::exchange(stopping, true);
  if (!first && (killing || !kill)) return;
  killing = kill;
  asio::co_spawn(
      loop,
      [](Parts& p, bool end_runs) -> asio::awaitable<void> {
        if (end_runs) co_await p.dispatcher->end_all();
        co_await p.dispatcher->settle_progress();
        co_await p.dispatcher->settle_probe();
        if (p.runtime_watch) p.runtime_watch->stop();
        p.server->close([&p] { p.loop.stop(); });
      }(*this, kill),
      in_background);
}

}  // namespace drover
