#include "process/report_sender.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace drover::process {

void ReportSender::send(ReportKind kind, const void* payload, size_t bytes) {
  Report& next = pending_[std::min(count_++, pending_.size() - 1)];
  next.header = {
      .bytes = static_cast<std::uint32_t>(sizeof(ReportHeader) + bytes), .kind = kind, .tag = tag_};
  if (bytes > 0) std::memcpy(static_cast<void*>(&next.started), payload, bytes);
  send_pending();
}

void ReportSender::send_pending() {
  while (count_ > 0) {
    const Report& next = pending_.front();
    if (::write(socket_, &next, next.header.bytes) < 0 && errno == EAGAIN) return;
    // Sent; or the daemon has closed it, and the journal has everything.
    std::shift_left(pending_.begin(), pending_.end(), 1);
    --count_;
  }
}

bool ReportSender::flush() {
  constexpr int kPatienceMs = 10'000;
  while (has_pending()) {
    pollfd room = poll();
    if (::poll(&room, 1, kPatienceMs) == 0) return false;
    send_pending();
  }
  return true;
}

}  // namespace drover::process
