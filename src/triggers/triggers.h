// Triggers is the interface of this room for the doors: add, change, pause, resume, fire and remove
// triggers. Each change is one commit with its event (trigger.added, trigger.changed …). It keeps
// no triggers in memory: `changed` tells the timetable and the sources about each change.
//
// Lives on the daemon's loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/home.h"
#include "base/id.h"
#include "spine/spine.h"
#include "store/read_pool.h"
#include "triggers/definition/environment_file.h"
#include "triggers/definition/trigger_change.h"
#include "triggers/events/event_follower.h"
#include "triggers/events/post_quota.h"
#include "triggers/firing/firing.h"

namespace drover::triggers {

class Triggers {
 public:
  // Called after each commit with the trigger as it is now; null: it was removed.
  using Changed = std::function<void(const StoredTrigger* now, const std::string& name)>;

  // Everything borrowed must outlive it.
  Triggers(const Clock& clock, store::ReadPool& reads, spine::Recorder record, const Home& home,
           Firing& firing, const DecidedEvents& decided, Changed changed);

  // Refused: `name_taken`; `too_many_triggers`; `no_future_time` if its schedule has no time left;
  // `secret_unsafe`, `secret_missing` or `secret_invalid` if the secret of its webhook cannot be
  // read.
  asio::awaitable<Result<StoredTrigger>> add(boost::json::object fields, Variables variables);
  // Fields that are given replace those of the trigger (edited_fields.h). Its due times up to now
  // stay accounted for. Refused, like `remove`: `declared_trigger` if a file declares it.
  asio::awaitable<Result<StoredTrigger>> edit(std::string name, boost::json::object fields,
                                              std::optional<Variables> variables);
  // With its ledger and its environment. Its runs stay.
  asio::awaitable<Result<>> remove(std::string name);

  // A paused trigger does not fire. The due times that pass meanwhile are one occurrence of the
  // ledger: skipped, paused.
  asio::awaitable<Result<StoredTrigger>> pause(std::string name);
  asio::awaitable<Result<StoredTrigger>> resume(std::string name);

  // Fires it now, also if it is paused. Its run gets `event`.
  asio::awaitable<Result<Occurrence>> fire(std::string name, boost::json::object event);

  // Writes an event of a program to the log, from which triggers learn of it. Returns its id. `by`
  // is the run that posted it, if one did; `share` is the caller whose quota it uses.
  asio::awaitable<Result<std::string>> emit(std::string body, std::string scope,
                                            std::optional<RunId> by, std::string share);

 private:
  asio::awaitable<Result<StoredTrigger>> find(std::string name);
  asio::awaitable<Result<StoredTrigger>> store_change(TriggerChange change, std::string type);

  const Clock& clock_;
  store::ReadPool& reads_;
  const spine::Recorder record_;
  const Home& home_;
  Firing& firing_;
  const DecidedEvents& decided_;
  const Changed changed_;
  IdMaker ids_;
  PostQuota posted_;
};

}  // namespace drover::triggers
