#include "triggers/files/watch_table.h"

#include <sys/inotify.h>

#include <algorithm>
#include <cerrno>

namespace drover::triggers {
namespace {

constexpr std::uint32_t kSelf = IN_DELETE_SELF | IN_MOVE_SELF;
constexpr std::uint32_t kCreations = IN_CREATE | IN_MOVED_TO;
constexpr std::uint32_t kContents = IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE |
                                    IN_MOVED_FROM | IN_MOVED_TO | IN_EXCL_UNLINK;

}  // namespace

WatchTable::WatchTable(size_t watches_max)
    : inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)), watches_max_(watches_max) {}

WatchAdded WatchTable::add(TreeId tree, std::uint64_t walk, int directory, std::string path) {
  return add_place(tree, {false, std::move(path)}, {.walk = walk, .expected = {}}, directory,
                   kSelf | kContents);
}

WatchAdded WatchTable::add_anchor(TreeId tree, std::uint64_t walk, int directory, std::string path,
                                  std::string expected, AnchorEvents events) {
  return add_place(tree, {true, std::move(path)}, {.walk = walk, .expected = std::move(expected)},
                   directory, events == AnchorEvents::creations ? kSelf | kCreations : kSelf);
}

WatchAdded WatchTable::add_place(TreeId tree, Key key, PlaceWatch watched, int directory,
                                 std::uint32_t mask) {
  if (!inotify_) return WatchAdded::no_space;
  // The link leads to the open directory itself, whatever became of its path. IN_MASK_ADD: another
  // tree may have asked for more events of this directory.
  const std::string link = "/proc/self/fd/" + std::to_string(directory);
  const std::lock_guard lock(mutex_);
  watched.watch = ::inotify_add_watch(inotify_.get(), link.c_str(), mask | IN_MASK_ADD);
  if (watched.watch < 0) return errno == ENOSPC ? WatchAdded::no_space : WatchAdded::failed;
  const auto known = places_.find(watched.watch);
  if (known == places_.end() && places_.size() >= watches_max_) {
    ::inotify_rm_watch(inotify_.get(), watched.watch);
    return WatchAdded::no_space;
  }
  PlaceWatch& place = trees_[tree][key];
  if (place.watch != watched.watch) {
    if (place.watch >= 0) release(place.watch, {tree, key});
    places_[watched.watch].emplace_back(tree, key);
  }
  place = std::move(watched);
  return WatchAdded::added;
}

// Removes a place from its watch, and the watch with its last place.
void WatchTable::release(int watch, const Place& place) {
  const auto known = places_.find(watch);
  if (known == places_.end()) return;
  std::erase(known->second, place);
  if (!known->second.empty()) return;
  ::inotify_rm_watch(inotify_.get(), watch);
  places_.erase(known);
}

template <class Condition>
void WatchTable::remove_if(TreeId tree, Condition condition) {
  const auto found = trees_.find(tree);
  if (found == trees_.end()) return;
  std::erase_if(found->second, [&](const auto& each) {
    if (!condition(each.first, each.second)) return false;
    release(each.second.watch, {tree, each.first});
    return true;
  });
  if (found->second.empty()) trees_.erase(found);
}

void WatchTable::keep_only(TreeId tree, std::uint64_t walk) {
  const std::lock_guard lock(mutex_);
  remove_if(tree, [walk](const Key&, const PlaceWatch& watched) { return watched.walk < walk; });
}

void WatchTable::remove(TreeId tree) {
  const std::lock_guard lock(mutex_);
  remove_if(tree, [](const Key&, const PlaceWatch&) { return true; });
}

void WatchTable::remove_below(TreeId tree, std::string_view path) {
  const std::lock_guard lock(mutex_);
  const auto found = trees_.find(tree);
  if (found == trees_.end()) return;
  Tree& places = found->second;
  const auto remove_at = [&](Tree::iterator at) {
    release(at->second.watch, {tree, at->first});
    return places.erase(at);
  };
  if (const auto itself = places.find({false, std::string(path)}); itself != places.end()) {
    remove_at(itself);
  }
  const std::string below = std::string(path) + "/";
  for (auto at = places.lower_bound({false, below});
       at != places.end() && !at->first.first && at->first.second.starts_with(below);) {
    at = remove_at(at);
  }
}

void WatchTable::forget(int watch) {
  const std::lock_guard lock(mutex_);
  const auto known = places_.find(watch);
  if (known == places_.end()) return;
  for (const auto& [tree, key] : known->second) {
    const auto found = trees_.find(tree);
    if (found != trees_.end()) found->second.erase(key);
  }
  places_.erase(known);
}

std::vector<WatchPlace> WatchTable::places(int watch) const {
  const std::lock_guard lock(mutex_);
  std::vector<WatchPlace> out;
  const auto known = places_.find(watch);
  if (known == places_.end()) return out;
  for (const auto& [tree, key] : known->second) {
    out.push_back({.tree = tree,
                   .is_anchor = key.first,
                   .path = key.second,
                   .expected = trees_.at(tree).at(key).expected});
  }
  return out;
}

size_t WatchTable::watches() const {
  const std::lock_guard lock(mutex_);
  return places_.size();
}

}  // namespace drover::triggers
