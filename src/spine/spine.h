// The spine is the one writer to the store (H1, R13; src/ORDER). It takes a fact, has the store
// judge and commit it, rings the bell, shows the commit to its observer, and only then answers the
// caller. It starts nothing.
//
// If the store cannot tell whether a write landed (`commit_unknown`), the spine reads the events
// after the last one it has shown, and shows their runs as they are stored now. It tries until the
// store can be read, so the observer misses nothing that landed.
//
// Lives on the daemon's loop; the store commits on a thread of its own.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>

#include "bus/bell.h"
#include "spine/tally.h"
#include "store/store.h"

namespace drover::spine {

namespace asio = boost::asio;

using RecordCallback = std::move_only_function<void(Result<store::Written>)>;
// Records one write, as Spine::record does: for modules that need nothing else from a spine.
using Recorder = std::function<asio::awaitable<Result<store::Written>>(store::Write)>;

class Spine {
 public:
  // `store` and `bell` must outlive the spine, and the spine every write it was given.
  Spine(asio::any_io_executor loop, store::Store& store, bus::Bell& bell);
  ~Spine();

  // `callback` is called on the loop with the result, after the commit and after the bell has rung.
  // It is never called from within `record`.
  void record(store::Write write, RecordCallback callback);

  // The same for coroutines.
  asio::awaitable<Result<store::Written>> record(store::Write write);

  // `seen` is called on the loop with every commit that wrote events, about runs or not, in the
  // order of commits. A commit is shown once; after a write of unknown fate a run may be shown a
  // second time, as it is stored now. There is one observer; an empty function removes it.
  void watch(std::function<void(const store::Written&)> seen);

  const Tally& tally() const { return tally_; }

 private:
  struct Shared;  // Used by both the store's thread and the loop.
  std::shared_ptr<Shared> shared_;
  store::Store& store_;
  Tally tally_;
};

}  // namespace drover::spine
