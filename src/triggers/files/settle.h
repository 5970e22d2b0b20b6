// Settle is the debounce of one watched tree: it collects paths that changed, and hands out each
// one once nothing happened to it for `quiet_ms`. A file that is written slowly is handed out once,
// when it is whole; a file that is written without a pause is not handed out before the pause.
//
// It keeps paths, not kinds: the difference between the snapshot and the tree at that moment
// decides what happened (snapshot.h). So created + changed is created, created + deleted is
// nothing, and an event that arrives twice is reported once. Too many paths, or lost events, become
// one flag, `everything`: the whole tree has to be compared.
//
// Pure: the caller gives the time, which never runs backwards. One thread.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "triggers/files/limits.h"
#include "triggers/files/snapshot.h"

namespace drover::triggers {

using MonoMs = std::int64_t;

// A walk's view of a path: a file, or none.
using Sighting = std::optional<FileEntry>;

struct SettleBounds {
  std::int64_t quiet_ms = kSettleMs;
  size_t paths_max = kPendingMax;
  std::int64_t everything_ms_max = kCoalesceMsMax;
};

class Settle {
 public:
  explicit Settle(SettleBounds bounds) : bounds_(bounds) {}

  // An event says that something happened to `path`.
  void touch(std::string_view path, MonoMs now);
  // An event says that `from` became `to`. From now on both settle together, so that their
  // difference shows a move.
  void move(std::string_view from, std::string_view to, MonoMs now);
  // A walk saw `path` like this, and differently from the snapshot. Starts waiting; starts again if
  // an earlier walk saw something else. This is how a tree without events settles.
  void see(std::string_view path, const Sighting& sighting, MonoMs now);
  // Events were lost, or nobody knows where something happened.
  void touch_everything(MonoMs now);

  // When `take` has something to return; nothing while nothing waits.
  std::optional<MonoMs> wake() const;

  struct Path {
    std::string path;
    // The view of the walk that made it wait, if no event came since. If the path looks different
    // when it is handed out, it is not whole: give it to `see` again.
    std::optional<Sighting> expected = {};
  };
  struct Due {
    bool everything = false;
    std::vector<Path> paths = {};
    bool empty() const { return !everything && paths.empty(); }
  };
  // The paths that have settled; they stop waiting.
  Due take(MonoMs now);

  size_t pending() const { return by_path_.size(); }

 private:
  struct Waiting {
    std::string path;
    MonoMs since = 0;
    std::optional<Sighting> expected = {};
    std::string partner = {};  // The other path of a move, or empty.
  };
  using Line = std::list<Waiting>;  // The longest waiting first.

  Waiting* wait(std::string_view path, MonoMs now);

  SettleBounds bounds_;
  Line line_;
  std::unordered_map<std::string_view, Line::iterator> by_path_;  // Views into line_.
  struct Everything {
    MonoMs first = 0;
    MonoMs last = 0;
  };
  std::optional<Everything> everything_;
};

}  // namespace drover::triggers
