// FileTriggers turns changes of watched files into events. Each batch of changes that the watches
// report (file_watches.h) is one event: its occurrence in the ledger and the parts of the new
// snapshot are one commit. So a change that was reported is not reported again after a crash, and
// one that was not is found by comparing with the stored snapshot. A commit that fails is repeated.
//
// Lives on the daemon's loop. Everything borrowed must outlive it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/id.h"
#include "spine/spine.h"
#include "store/read_pool.h"
#include "triggers/definition/spec.h"
#include "triggers/definition/stored_trigger.h"
#include "triggers/files/file_watches.h"
#include "work/pool.h"

namespace drover::triggers {

class FileTriggers {
 public:
  FileTriggers(asio::any_io_executor loop, work::Pool& pool, const Clock& clock,
               store::ReadPool& reads, spine::Recorder record);
  ~FileTriggers();

  // Adds or replaces a trigger; one of another source, or a paused one, is not watched.
  void set(const StoredTrigger& trigger);
  void remove(const std::string& name);
  // Why a trigger sees less than it should: it is polled, its root is missing. Empty: nothing.
  std::string warning(const std::string& name) const;
  // Of all triggers that have one.
  std::map<std::string, std::string> warnings() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace drover::triggers
