// TakeUp brings a restored, older database up to date with what the run files know (H4, H10): runs
// that the database does not know are recorded, and runs that it takes for active end as their
// files say. Then recovery treats them as any run that an earlier daemon left.
//
// The store notices that a database was restored when it is opened (store/sqlite/generation.h), and
// remembers it until everything is taken up. Killed in the middle, the next daemon takes up the
// rest; doing it twice changes nothing. Without a restore it costs one query.
//
// Lives on the daemon's loop, before any run is launched or adopted.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <vector>

#include "dispatch/files/run_directories.h"
#include "dispatch/host.h"
#include "process/pid_ref.h"
#include "run/fact.h"

namespace drover::dispatch {

class TakeUp {
 public:
  // Both must outlive it.
  TakeUp(const Host& host, RunDirectories& directories)
      : host_(host), directories_(directories), boot_(process::boot_id()) {}

  // `store` is read on the loop: no door is open yet.
  asio::awaitable<Result<>> take_up(store::Reads& store);

  // While it works, the loop's view of the runs is not built yet.
  bool is_busy() const { return busy_; }

 private:
  static Result<bool> is_due(store::Reads& store);
  asio::awaitable<Result<>> correct_active(store::Reads& store);
  asio::awaitable<Result<>> add_unknown(store::Reads& store);
  // The correction by the files of an active run of the database; empty if the files add nothing to
  // the record.
  Result<std::optional<run::Fact>> correction_of(const run::Record& record) const;
  // Appends the facts about a run of which the database knows nothing.
  Result<> add_facts_of(const RunId& id, store::Reads& store, std::vector<run::Fact>& facts) const;
  // Records all of them together, in their order.
  asio::awaitable<Result<>> record(std::vector<run::Fact> facts);
  asio::awaitable<Result<>> finish();

  const Host& host_;
  RunDirectories& directories_;
  process::BootId boot_;
  bool busy_ = false;
};

}  // namespace drover::dispatch
