// The EventReader reads inotify events from the kernel: one bounded read at a time, so that a loop
// with many events still does other work.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "triggers/files/limits.h"

namespace drover::triggers {

struct FileEvent {
  int watch = -1;          // -1: events were lost.
  std::uint32_t mask = 0;  // Of inotify.
  std::uint32_t cookie = 0;
  std::string_view name = {};  // Valid during the call.
};

class EventReader {
 public:
  explicit EventReader(size_t bytes_per_turn = kEventBytesPerTurn) : buffer_(bytes_per_turn) {}

  // Reads once from a non-blocking descriptor and passes each event on, in order. Whether there
  // were any.
  bool read(int inotify, const std::function<void(const FileEvent&)>& on_event);

 private:
  std::vector<char> buffer_;
};

}  // namespace drover::triggers
