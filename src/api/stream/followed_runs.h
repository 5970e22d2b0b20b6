// FollowedRuns are the runs whose output one stream follows, with its place in each. A run is added
// when it starts, and opened later: most runs finish before that, and need no watch. Lives on the
// daemon's loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/services.h"
#include "api/stream/cursor.h"
#include "api/stream/output_source.h"

namespace drover::api {

class FollowedRuns {
 public:
  // `services` must outlive it. `grown` is called when a run has printed more.
  FollowedRuns(Services& services, std::function<void()> grown)
      : services_(services), grown_(std::move(grown)) {}

  // At a place in a cursor. One that was sent at a run's end may have one run more than the limit.
  void resume(const RunId& id, std::uint64_t offset);
  // False: there are too many.
  bool add(const RunId& id, std::uint64_t offset = 0);
  bool contains(const RunId& id) const { return runs_.contains(id); }
  // Opens the runs that were added.
  void open();
  // Whether the kernel has no watch left for some run: it must be polled.
  bool is_blind() const;
  // Those that are not watched may have grown.
  void suspect();

  // Appends output of each run that has grown, at most `bytes_max` of each, until `out` is full.
  // True: there is more.
  Result<bool> append_to(const OutputSource::Wish& wish, size_t out_max);
  // Appends the rest of a run's output that ends with `end`. True: there is more; otherwise the
  // run is no longer followed.
  Result<bool> append_rest(const run::Event& end, const OutputSource::Wish& wish);

  // The place in each, for a cursor.
  void add_to(Cursor& cursor) const;

 private:
  struct Followed {
    OutputSource source;
    bool opened = false;
    bool grown = true;
    std::unique_ptr<queries::OutputWatch::Subscription> watch = {};
  };
  // False: it has no output of its own.
  bool open(const RunId& id, Followed& run);

  Services& services_;
  std::function<void()> grown_;
  std::map<RunId, Followed> runs_;
};

}  // namespace drover::api
