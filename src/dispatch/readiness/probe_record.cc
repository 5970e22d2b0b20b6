#include "dispatch/readiness/probe_record.h"

#include <array>
#include <string>

namespace drover::dispatch {
namespace {

constexpr auto kMigrations = std::to_array<std::string_view>({
    R"sql(
CREATE TABLE probe (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL,
  step TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
)sql",
});

store::Work note(std::string id, std::string step) {
  return [id = std::move(id), step = std::move(step)](store::Transaction& transaction) -> Result<> {
    return transaction.execute_without_event(
        "INSERT INTO probe (one, id, step, at) VALUES (1, $1, $2, $3) "
        "ON CONFLICT (one) DO UPDATE SET id = excluded.id, step = excluded.step, at = excluded.at",
        {id, step, transaction.now()});
  };
}

}  // namespace

const store::RoomSchema kProbeTables{.room = "probe", .migrations = kMigrations};

boost::asio::awaitable<Result<>> record_probe(spine::Spine& spine, store::ReadPool& reads, RunId id,
                                              std::string_view step) {
  const auto written = co_await spine.record(note(id.str(), std::string(step)));
  if (!written) co_return std::unexpected(written.error());
  const auto row = co_await reads.ask(store::daemon_itself(), [](store::Reads& store) {
    return store.query("SELECT id, step FROM probe WHERE one = 1", {});
  });
  if (!row) co_return std::unexpected(row.error());
  if (row->empty() || row->front()[0].text() != id.str() || row->front()[1].text() != step) {
    co_return fail(ErrorCode::unavailable, "commit_unknown", "the store did not keep a write");
  }
  co_return Result<>{};
}

}  // namespace drover::dispatch
