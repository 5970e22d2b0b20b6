// How a clerk begins an epoch (store/epochs.h), and how it records that an older database was
// restored (generation.h).
#include <fmt/format.h>

#include "base/crash_point.h"
#include "base/limits.h"
#include "store/sqlite/clerk.h"
#include "store/sqlite/fixed_sql.h"
#include "store/sqlite/rows.h"

namespace drover::store::sqlite {

Result<> Clerk::prepare_epoch() {
  const auto last = database_.integer(fixed_sql::kLastSeq);
  if (!last) return std::unexpected(last.error());
  last_seq_ = last_seq_here_ = epoch_follows_ = *last;
  epoch_first_seq_ = *last + 1;
  if (options_.epoch.empty()) return {};
  // A clerk that replaces another one, after a failed commit, continues its epoch.
  auto find = database_.prepare("SELECT first_seq, follows FROM epochs WHERE epoch = ?1");
  if (!find) return std::unexpected(find.error());
  auto found = find->each(
      [this](const Row& row) {
        epoch_stored_ = true;
        epoch_first_seq_ = row.integer(0);
        epoch_follows_ = row.integer(1);
      },
      options_.epoch);
  if (!found || epoch_stored_ || options_.known_seq <= *last) return found;
  epoch_first_seq_ = options_.known_seq + 1;
  auto recorded = record_restore();
  if (!recorded) rollback();
  return recorded;
}

// One commit: that an older database was restored, the epoch that begins with it, and the event.
// Its number comes after all that were given before, so no number is given twice.
Result<> Clerk::record_restore() {
  if (auto begun = begin(); !begun) return begun;
  run::Event event{.seq = epoch_first_seq_,
                   .run_id = {},
                   .other = "store/drover.db",
                   .run_seq = 1,
                   .type = "store.restored",
                   .time = clock_.wall_ms(),
                   .trace_id = {},
                   .scope = {},
                   .is_final = false,
                   .data = fmt::format(R"({{"database_seq":{},"known_seq":{}}})", last_seq_,
                                       options_.known_seq)};
  auto last = sql_.last_of_subject.each([&](const Row& row) { event.run_seq = row.integer(0) + 1; },
                                        event.other);
  if (!last) return last;
  auto add = database_.prepare(fmt::format(
      "INSERT INTO spine ({}) VALUES (?9, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", kEventColumns));
  if (!add) return std::unexpected(add.error());
  auto added = add->run(event.other, event.run_seq, event.type, event.time, event.trace_id,
                        event.scope, event.is_final, event.data, event.seq);
  if (!added) return added;
  last_seq_here_ = event.seq;
  auto restore = database_.prepare(
      "INSERT INTO restores (seq, at, database_seq, known_seq, taken_up) "
      "VALUES (?1, ?2, ?3, ?4, NULL)");
  if (!restore) return std::unexpected(restore.error());
  if (auto ok = restore->run(event.seq, event.time, last_seq_, options_.known_seq); !ok) return ok;
  auto pruned =
      database_.execute(fmt::format("DELETE FROM restores WHERE seq NOT IN "
                                    "(SELECT seq FROM restores ORDER BY seq DESC LIMIT {})",
                                    limits::kRestoresMax));
  if (!pruned) return pruned;
  crash_point("restore.noticed");
  auto committed = commit();
  crash_point("restore.recorded");
  return committed;
}

Result<> Clerk::add_epoch() {
  auto add = database_.prepare(
      "INSERT OR REPLACE INTO epochs (first_seq, epoch, follows) VALUES (?1, ?2, ?3)");
  if (!add) return std::unexpected(add.error());
  if (auto ok = add->run(epoch_first_seq_, options_.epoch, epoch_follows_); !ok) return ok;
  return database_.execute(
      fmt::format("DELETE FROM epochs WHERE first_seq NOT IN "
                  "(SELECT first_seq FROM epochs ORDER BY first_seq DESC LIMIT {})",
                  limits::kEpochsMax));
}

}  // namespace drover::store::sqlite
