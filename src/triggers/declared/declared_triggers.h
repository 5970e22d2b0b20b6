// DeclaredTriggers keeps the stored triggers in step with the files that declare them:
// triggers.d/*.toml, and the [[trigger]] tables of the drover.toml of each registered project. It
// reads all of them when the daemon starts, when a file changes, and when a project is added or
// removed; the plan (declared/sync_plan.h) is pure, and each file is one commit. A crash in between
// changes nothing that the next pass does not find.
//
// Problems are logged, are events (trigger.file_refused), and are shown by `problems`; the files
// that have some are read again from time to time.
//
// Lives on the daemon's loop. Everything borrowed must outlive it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/home.h"
#include "bus/bell.h"
#include "spine/spine.h"
#include "store/read_pool.h"
#include "triggers/declared/problem.h"
#include "triggers/triggers.h"
#include "work/pool.h"

namespace drover::triggers {

class DeclaredTriggers {
 public:
  struct Parts {
    asio::any_io_executor loop;
    work::Pool& workers;
    const Clock& clock;
    store::ReadPool& reads;
    bus::Bell& bell;
    spine::Recorder record;
    const Home& home;
    const DecidedEvents& decided;
    Triggers::Changed changed;  // As for Triggers.
  };
  explicit DeclaredTriggers(Parts parts);
  ~DeclaredTriggers();

  // Calls `done` once after the first pass, or earlier if that takes long: due times of triggers
  // that were removed from their files meanwhile must not fire.
  void begin(std::function<void()> done);
  // A trigger was removed by hand: a declared one of its name may exist now.
  void wake();

  const std::vector<Problem>& problems() const;

 private:
  struct Shared;  // Outlives this object while a pass is active.
  std::shared_ptr<Shared> shared_;
};

}  // namespace drover::triggers
