#include "triggers/files/event_reader.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cstring>

namespace drover::triggers {

bool EventReader::read(int inotify, const std::function<void(const FileEvent&)>& on_event) {
  const ssize_t got = ::read(inotify, buffer_.data(), buffer_.size());
  if (got <= 0) return false;
  const auto end = static_cast<size_t>(got);
  for (size_t at = 0; at + sizeof(inotify_event) <= end;) {
    inotify_event header{};
    std::memcpy(&header, buffer_.data() + at, sizeof header);
    const char* name = buffer_.data() + at + sizeof header;  // Padded with zero bytes.
    on_event({.watch = (header.mask & IN_Q_OVERFLOW) != 0 ? -1 : header.wd,
              .mask = header.mask,
              .cookie = header.cookie,
              .name = {name, ::strnlen(name, header.len)}});
    at += sizeof header + header.len;
  }
  return true;
}

}  // namespace drover::triggers
