#include "cmd/inbox_room.h"

#include <array>
#include <stdexcept>

#include "api/inbox/routes.h"
#include "inbox/deadlines.h"
#include "inbox/inbox.h"
#include "inbox/spool_reader.h"
#include "inbox/tables.h"
#include "inbox/withdrawals.h"

namespace drover {
namespace {

struct InboxService final : RoomService {
  InboxService(const DaemonParts& p, std::unique_ptr<work::WallTimer> timer)
      : deadlines(p.loop, p.clock, p.reads, p.record, std::move(timer)),
        inbox(p.clock, p.reads, p.workers, p.record, p.home,
              [this](const inbox::Entry& now) { see(now); }),
        withdrawals(p.loop, p.bell, p.reads, inbox),
        spool(p.loop, p.home, p.clock, inbox) {}

  void see(const inbox::Entry& now) {
    if (!now.is_open()) return;
    deadlines.wake();
    withdrawals.see(now);
  }
  void begin() override {
    deadlines.begin();
    withdrawals.begin();
    spool.begin();
  }

  inbox::Deadlines deadlines;
  inbox::Inbox inbox;
  inbox::Withdrawals withdrawals;
  inbox::SpoolReader spool;
};

std::unique_ptr<RoomService> make_service(const DaemonParts& parts, api::Rooms& objects) {
  auto timer = work::SystemWallTimer::open(parts.loop);
  if (!timer) throw std::runtime_error(timer.error().message);
  auto service = std::make_unique<InboxService>(parts, std::move(*timer));
  objects.add(service->inbox);
  return service;
}

// For `doctor --verify`. The names are those in the database.
constexpr auto kSqlChecks = std::to_array<doctor::SqlCheck>({
    {"a question of the inbox is open, or was closed at a time",
     "SELECT count(*) FROM inbox_entries WHERE type = 'escalation'",
     "SELECT id || ' is ' || state || ', and was closed at ' || closed_at FROM inbox_entries "
     "WHERE type = 'escalation' AND (state NOT IN ('open', 'answered', 'expired', 'dismissed', "
     "'withdrawn') OR (state = 'open') <> (closed_at = 0))"},
    {"a question has an answer exactly when it was answered",
     "SELECT count(*) FROM inbox_entries WHERE type = 'escalation'",
     "SELECT id || ' is ' || state || ', and its answer is ' || choice || answer FROM "
     "inbox_entries WHERE type = 'escalation' "
     "AND (state = 'answered') <> (choice <> '' OR answer <> '')"},
});
constexpr doctor::SqlCheckSet kSqlCheckSet{
    .known = "SELECT count(*) FROM pragma_table_info('inbox_entries')", .checks = kSqlChecks};

}  // namespace

const Room kInboxRoom{
    .name = "inbox",
    .tables = &inbox::kTables,
    .checks = &kSqlCheckSet,
    .routes = api::inbox_routes,
    .service = make_service,
};

}  // namespace drover
