#include "tests/rooms/parcels.h"

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"
#include "cmd/room.h"
#include "run/event_data.h"
#include "tests/rooms/operations.h"

namespace drover::parcels {
namespace {

constexpr auto kKinds = std::to_array<run::Kind>(
    {{.name = "delivery",
      .not_retriable = "was delivered; `drover parcel send` sends another one"}});

constexpr auto kMigrations = std::to_array<std::string_view>({
    "CREATE TABLE parcels (name TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;",
    "ALTER TABLE parcels ADD COLUMN last_run TEXT NOT NULL DEFAULT '';",
});
constexpr store::RoomSchema kTables{.room = "parcels", .migrations = kMigrations};

// A delivery has finished: one Work changes the count and writes its event together.
store::Work count(const run::Event& event) {
  if (!event.is_final || run::record_of(event).kind != "delivery") return {};
  return [scope = event.scope, id = event.run_id.str()](store::Transaction& t) -> Result<> {
    const std::string name = scope.substr(scope.find('/') + 1);
    auto counted = t.execute(
        "INSERT INTO parcels (name, count, last_run) VALUES ($1, 1, $2) "
        "ON CONFLICT (name) DO UPDATE SET count = parcels.count + 1, last_run = excluded.last_run",
        {name, id});
    if (!counted) return counted;
    if (name == "lost") return fail(ErrorCode::conflict, "lost", "this parcel is lost");
    return t.append({.subject = "parcel/" + name, .type = "parcel.counted", .scope = scope});
  };
}

std::vector<follow::Follower> followers(const DaemonParts&) {
  return {{.name = "parcels.counter", .filter = {.run = {}, .scope = "parcels"}, .on = count}};
}

boost::asio::awaitable<Result<api::Response>> send_parcel(api::Services& services,
                                                          api::Request& request) {
  run::Spec spec;
  spec.shell = "eval \"${DELIVERY:-echo delivered}\"";
  spec.cwd = "/";
  spec.kind = "delivery";
  spec.scope = "parcels/" + request.subject;
  spec.key = request.idempotency_key.value_or("");
  if (auto ok = run::validate(spec); !ok) co_return std::unexpected(ok.error());
  auto written =
      co_await services.dispatcher.submit({.spec = std::move(spec),
                                           .environment = services.environment->variables(),
                                           .digest = "send " + request.subject});
  if (!written) co_return std::unexpected(written.error());
  co_return api::answer_json(202,
                             {{"parcel", request.subject}, {"run_id", written->record.id.view()}});
}

constexpr auto kRoutes = std::to_array<api::Route>({{&send, send_parcel}});
constexpr api::RouteGroup kGroup{&kArea, kRoutes};
static_assert(api::is_whole(kGroup));

}  // namespace

const Room kRoom{.name = "parcels",
                 .kinds = kKinds,
                 .tables = &kTables,
                 .routes = [] { return kGroup; },
                 .followers = followers};

}  // namespace drover::parcels
