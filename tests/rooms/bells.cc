#include "tests/rooms/bells.h"

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"
#include "cmd/room.h"
#include "run/event_data.h"
#include "tests/rooms/operations.h"

namespace drover::bells {
namespace {

constexpr auto kKinds = std::to_array<run::Kind>(
    {{.name = "chime", .not_retriable = "has rung; `drover bell ring` rings again"}});

constexpr auto kMigrations = std::to_array<std::string_view>({
    "CREATE TABLE bells (name TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;",
    "ALTER TABLE bells ADD COLUMN last_run TEXT NOT NULL DEFAULT '';",
});
constexpr store::RoomSchema kTables{.room = "bells", .migrations = kMigrations};

// A chime has finished: one Work changes the count and writes its event together.
store::Work count(const run::Event& event) {
  if (!event.terminal || run::record_of(event).kind != "chime") return {};
  return [scope = event.scope, id = event.run_id.str()](store::Transaction& t) -> Result<> {
    const std::string name = scope.substr(scope.find('/') + 1);
    auto counted = t.execute(
        "INSERT INTO bells (name, count, last_run) VALUES ($1, 1, $2) "
        "ON CONFLICT (name) DO UPDATE SET count = bells.count + 1, last_run = excluded.last_run",
        {name, id});
    if (!counted) return counted;
    if (name == "cracked") return fail(ErrorCode::conflict, "cracked", "this bell does not sound");
    return t.append({.subject = "bell/" + name, .type = "bell.counted", .scope = scope});
  };
}

std::vector<follow::Follower> followers(const DaemonParts&) {
  return {{.name = "bells.counter", .filter = {.run = {}, .scope = "bells"}, .on = count}};
}

boost::asio::awaitable<Result<api::Response>> ring_bell(api::Services& services,
                                                        api::Request& request) {
  run::Spec spec;
  spec.shell = "eval \"${CHIME:-echo ding}\"";
  spec.cwd = "/";
  spec.kind = "chime";
  spec.scope = "bells/" + request.subject;
  spec.key = request.idempotency_key.value_or("");
  if (auto ok = run::validate(spec); !ok) co_return std::unexpected(ok.error());
  auto written = co_await services.dispatcher.submit({.spec = std::move(spec),
                                                      .environment = services.environment,
                                                      .digest = "ring " + request.subject});
  if (!written) co_return std::unexpected(written.error());
  co_return api::answer_json(202,
                             {{"bell", request.subject}, {"run_id", written->record.id.view()}});
}

constexpr auto kRoutes = std::to_array<api::Route>({{&ring, ring_bell}});
constexpr api::RouteGroup kGroup{&kArea, kRoutes};
static_assert(api::is_whole(kGroup));

}  // namespace

const Room kRoom{.name = "bells",
                 .kinds = kKinds,
                 .tables = &kTables,
                 .routes = [] { return kGroup; },
                 .followers = followers};

}  // namespace drover::bells
