// The Conductor runs the scripts of all composites (script.h): after a start it goes on with those
// that are active, and begins the script of each that is recorded from then on, whoever asked for
// it. It learns of them from the log. It starts no process itself, and keeps nothing: the next
// daemon's Conductor goes on where this one was.
//
// Lives on the daemon's loop, which must not run any more when it is destroyed.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "conduct/composite.h"

namespace drover::conduct {

class Conductor {
 public:
  Conductor(Parts parts, std::vector<Script> scripts);

  // After recovery, before the doors open: begins the scripts of all active composites of the kinds
  // that it has scripts for, and follows the log from here on. To be called once.
  Result<> resume();

 private:
  asio::awaitable<void> follow_log();
  Result<> begin_all();
  Result<> begin_new(const run::Event& event);
  void begin(const run::Record& record);
  asio::awaitable<void> see_through(Composite& composite, const Script& script, run::Record record);

  const Parts parts_;
  const std::vector<Script> scripts_;
  std::optional<bus::Subscription> news_;
  // Each composite once. One that has not ended when its script returns stays here: this daemon can
  // do no more for it.
  std::map<RunId, std::unique_ptr<Composite>> conducted_;
};

}  // namespace drover::conduct
