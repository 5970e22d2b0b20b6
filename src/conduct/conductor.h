// The Conductor runs the scripts of all composites (script.h). After a start it resumes those that
// are active; it begins the script of each one recorded later, by any caller. It learns of them
// from the event log. It starts no process itself and stores nothing: the next daemon's Conductor
// resumes where this one stopped.
//
// Lives on the daemon's loop, which must have stopped when it is destroyed.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "conduct/composite.h"

namespace drover::conduct {

class Conductor {
 public:
  Conductor(Parts parts, std::vector<Script> scripts);

  // Begins the scripts of all active composites of the kinds that it has scripts for, and follows
  // the log from then on. Call it once, after recovery and before the doors open.
  asio::awaitable<Result<>> resume();

 private:
  asio::awaitable<void> follow_log();
  asio::awaitable<Result<>> begin_all();
  asio::awaitable<Result<>> begin_new(bus::EventPtr event);
  void begin(const run::Record& record);
  asio::awaitable<void> see_through(Composite& composite, const Script& script, run::Record record);

  const Parts parts_;
  const std::vector<Script> scripts_;
  std::optional<bus::Subscription> subscription_;
  // Each composite once. One that has not finished when its script returns stays here: this daemon
  // can do no more for it.
  std::map<RunId, std::unique_ptr<Composite>> conducted_;
};

}  // namespace drover::conduct
