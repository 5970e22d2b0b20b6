// The WatchTable owns the daemon's inotify descriptor and knows which directories of which trees it
// watches. Workers add directories while they walk; the loop reads events and asks where they
// happened. A directory is added under the table's lock, so that the loop never reads an event of a
// directory that the table does not know yet.
//
// A directory has one watch in the kernel, and a place for each tree (and path) that contains it.
// An anchor is a directory above a root: it tells when the root disappears or is created.
//
// Any thread. Failure: if the kernel has no descriptor or no watch left, `add` says so, and its
// tree has to be polled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "triggers/files/limits.h"

namespace drover::triggers {

using TreeId = std::uint64_t;  // Never used again after its tree is gone.

struct WatchPlace {
  TreeId tree = 0;
  bool is_anchor = false;
  std::string path;  // Relative to the root; absolute of an anchor.
  std::string expected =
      {};  // Of an anchor: the name of the next directory on the way to the root.
};

enum class AnchorEvents : std::uint8_t { only_self, creations };
enum class WatchAdded : std::uint8_t { added, no_space, failed };

class WatchTable {
 public:
  explicit WatchTable(size_t watches_max = kWatchesMax);

  // Non-blocking; -1: the kernel refused it, and every `add` returns no_space.
  int fd() const { return inotify_.get(); }

  // Watches the directory that `directory` is open on. `walk` numbers the walks of a tree.
  WatchAdded add(TreeId tree, std::uint64_t walk, int directory, std::string path);
  WatchAdded add_anchor(TreeId tree, std::uint64_t walk, int directory, std::string path,
                        std::string expected, AnchorEvents events);
  // A walk through the whole tree is complete: removes places that only earlier walks found.
  void keep_only(TreeId tree, std::uint64_t walk);
  void remove_below(TreeId tree, std::string_view path);  // And `path` itself.
  void remove(TreeId tree);
  void forget(int watch);  // The kernel removed it (IN_IGNORED).

  std::vector<WatchPlace> places(int watch) const;
  size_t watches() const;

 private:
  using Key = std::pair<bool, std::string>;  // Whether it is an anchor, and its path.
  struct PlaceWatch {
    int watch = -1;
    std::uint64_t walk = 0;
    std::string expected;
  };
  using Tree = std::map<Key, PlaceWatch>;
  using Place = std::pair<TreeId, Key>;

  WatchAdded add_place(TreeId tree, Key key, PlaceWatch watched, int directory, std::uint32_t mask);
  void release(int watch, const Place& place);
  template <class Condition>
  void remove_if(TreeId tree, Condition condition);

  const Fd inotify_;
  const size_t watches_max_;
  mutable std::mutex mutex_;  // Guards the rest.
  std::unordered_map<int, std::vector<Place>> places_;
  std::unordered_map<TreeId, Tree> trees_;
};

}  // namespace drover::triggers
