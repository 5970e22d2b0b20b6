// InUse decides which finished runs retention must keep (R9): parts of an active composite, runs
// that somebody reads or waits for, and runs that a held run waits for. `look_up` reads the runs
// that started them; `has` then answers without reading, as of now: a run that had finished then
// stays finished, and one that was active then is kept until the next round.
//
// Valid for one round of retention. Lives on the daemon's loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bus/bell.h"
#include "dispatch/files/page_readers.h"
#include "dispatch/run_dispatcher.h"
#include "store/read_pool.h"

namespace drover::dispatch {

class InUse {
 public:
  // Everything borrowed must outlive it. `page_readers` may be null: there are none.
  InUse(store::ReadPool& reads, const bus::Bell& bell, const RunDispatcher& dispatcher,
        const PageReaders* page_readers)
      : reads_(reads), bell_(bell), dispatcher_(dispatcher), page_readers_(page_readers) {}

  // Reads what `has` needs to know about these runs.
  asio::awaitable<void> look_up(const std::vector<run::Record>& records);
  bool has(const run::Record& record) const;

 private:
  // A run that started others.
  struct Parent {
    bool readable = true;
    bool exists = false;
    bool active = false;
    std::string kind = {};
    std::string parent_run_id = {};
  };
  using Parents = std::unordered_map<std::string, Parent>;
  static Result<Parents> read(store::Reads& store, std::vector<std::string> ids);

  bool is_read(const RunId& run) const;
  // Whether a run that started others is still needed as a whole: it is an active composite, a
  // composite that somebody reads, or part of such a one.
  bool keeps_parts(const std::string& id, int depth) const;

  store::ReadPool& reads_;
  const bus::Bell& bell_;
  const RunDispatcher& dispatcher_;
  const PageReaders* page_readers_;
  Parents parents_;
};

}  // namespace drover::dispatch
