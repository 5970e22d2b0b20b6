// FollowedRuns are the runs whose output one stream follows, with its offset in each. A run is
// added when it starts, and opened later: most runs finish before that, and need no watch. Lives on
// the daemon's loop.
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

  // At an offset from a cursor. One that was sent at a run's end may have one run more than the
  // limit.
  void resume(const RunId& id, std::uint64_t offset);
  // False: there are too many.
  bool add(const RunId& id, std::uint64_t offset = 0);
  bool contains(const RunId& id) const { return runs_.contains(id); }
  // Opens the runs that were added. Those that are not at hand are looked up with `find`, all at
  // once.
  using Find = std::function<asio::awaitable<std::vector<run::Record>>(std::vector<RunId>)>;
  asio::awaitable<void> open(const Find& find);
  // Whether the kernel has no watch left for some run: it must be polled.
  bool is_blind() const;
  // Those that are not watched may have grown.
  void suspect();

  // Appends output of each run that has grown, at most `bytes_max` of each, until `out` is full.
  // True: there is more.
  asio::awaitable<Result<bool>> append_to(OutputSource::Sink sink, size_t out_max);
  // Appends the rest of a run's output that ends with `end`. True: there is more; otherwise the
  // run is no longer followed.
  asio::awaitable<Result<bool>> append_rest(bus::EventPtr end, OutputSource::Sink sink);

  // The offset in each, for a cursor.
  void add_to(Cursor& cursor) const;

 private:
  struct Followed {
    OutputSource source;
    bool opened = false;
    bool grown = true;
    std::unique_ptr<queries::OutputWatch::Subscription> watch = {};
  };
  // False: it has no output of its own.
  bool open(const run::Record& record, Followed& run);

  Services& services_;
  std::function<void()> grown_;
  std::map<RunId, Followed> runs_;
};

}  // namespace drover::api
