#include "queries/exact_readers.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <vector>

#include "base/background.h"
#include "base/output_segments.h"
#include "process/control.h"

namespace drover::queries {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kManyBytes = 1
                                     << 20;  // A reader this far is reported to its keeper at once.
// At most this many bytes are in socket and TLS buffers when the daemon dies; the next daemon sends
// them again. (The kernel still delivers the bytes in a TCP send buffer.) Must be much smaller than
// the reserve: otherwise the keeper would wait for a reader that has read everything.
constexpr std::uint64_t kInTransit = 4 << 20;

}  // namespace

class KeeperOfRun : public std::enable_shared_from_this<KeeperOfRun> {
 public:
  using Reader = ExactReaders::Reader;

  KeeperOfRun(ExactReaders& all, const RunId& run)
      : run(run), all_(all), directory_(all.home_.run_directory(run)), timer_(all.loop_) {}

  void join(const Reader* reader) {
    if (readers_.empty()) tell_in(all_.timeouts_.first_report);
    readers_.push_back(reader);
    reader_left_ = false;
  }

  void leave(const Reader* reader) {
    std::erase(readers_, reader);
    if (!readers_.empty()) return;
    if (reader->finished_) {
      if (reader->offset_ > limits::kOutputLimitMin) remove_reserve(directory_);
      forget();
    } else if (reader->may_return_) {
      fd_.close();  // The keeper notices that, and waits as well.
      expect();
    } else {
      reader_left_ = true;
      tell();
    }
  }

  // If no reader connects in time, gives up waiting for one.
  void expect() {
    if (readers_.empty() && !reader_left_) tell_in(all_.timeouts_.reader_away);
  }

  void moved() {
    if (pause_ > all_.timeouts_.retry)
      return;  // The keeper does not listen; the timer tries again.
    const std::uint64_t least = least_offset();
    if (least >= kManyBytes && least >= told_ + kInTransit / 2) tell();
  }

  const RunId run;

 private:
  std::uint64_t least_offset() const {
    std::uint64_t least = UINT64_MAX;
    for (const Reader* reader : readers_) least = std::min(least, reader->offset_);
    return least;
  }

  void tell() {
    const std::uint64_t least = least_offset();
    const bool any = !readers_.empty();
    if (send(any ? static_cast<std::int64_t>(least - std::min(least, kInTransit)) : -1)) {
      told_ = least;
      pause_ = all_.timeouts_.retry;
      timer_.cancel();
      if (!any) forget();
    } else {
      reader_left_ = !any;
      if (any) return try_again();
      if (const auto record = all_.reads_.at_hand(run)) return finish_unless(is_active(*record));
      asio::co_spawn(all_.loop_, look_up(shared_from_this()), in_background);
    }
  }

  void try_again() {
    tell_in(pause_);
    pause_ = std::min(2 * pause_, all_.timeouts_.retry_max);
  }

  static bool is_active(const run::Record& record) { return run::is_active(record.state); }

  static asio::awaitable<void> look_up(std::shared_ptr<KeeperOfRun> self) {
    const auto record = co_await self->all_.reads_.find(self->run);
    // A reader has connected meanwhile, or the run was forgotten.
    if (!self->readers_.empty() || !self->is_known()) co_return;
    self->finish_unless(!record || (*record && is_active(**record)));
  }

  void finish_unless(bool active) {
    if (active) return try_again();
    remove_reserve(directory_);
    forget();
  }

  bool send(std::int64_t position) {
    if (!fd_) {
      auto connected = process::connect_control(all_.home_.controls(), run.view());
      if (!connected || !*connected) return false;
      fd_ = std::move(*connected);
    }
    process::ControlAnswer answer;  // To an earlier message; not needed.
    while (::recv(fd_.get(), &answer, sizeof answer, MSG_DONTWAIT) > 0) {
    }
    const process::ControlMessage message{.op = process::ControlOp::read_to, .argument = position};
    const ssize_t sent = ::send(fd_.get(), &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) fd_.close();
    return sent == static_cast<ssize_t>(sizeof message);
  }

  bool is_known() const {
    const auto known = all_.keepers_.find(run.str());
    return known != all_.keepers_.end() && known->second.get() == this;
  }

  void tell_in(milliseconds delay) {
    timer_.expires_after(delay);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code canceled) {
      if (!canceled) self->tell();
    });
  }

  void forget() {
    timer_.cancel();
    all_.keepers_.erase(run.str());  // Callers hold it.
  }

  ExactReaders& all_;
  const std::string directory_;
  asio::steady_timer timer_;
  std::vector<const Reader*> readers_;
  Fd fd_;
  std::uint64_t told_ = 0;
  milliseconds pause_ = all_.timeouts_.retry;
  bool reader_left_ = false;  // The last reader has left, and the keeper does not know it yet.
};

ExactReaders::Reader::Reader(ExactReaders& all, const RunId& run) : keeper_(all.keeper_of(run)) {
  keeper_->join(this);
}

ExactReaders::Reader::~Reader() {
  keeper_->leave(this);
}

void ExactReaders::Reader::read_to(std::uint64_t offset) {
  offset_ = std::max(offset_, offset);
  keeper_->moved();
}

std::shared_ptr<KeeperOfRun> ExactReaders::keeper_of(const RunId& run) {
  auto& keeper = keepers_[run.str()];
  if (!keeper) keeper = std::make_shared<KeeperOfRun>(*this, run);
  return keeper;
}

void ExactReaders::expect(const RunId& run) {
  keeper_of(run)->expect();
}

bool ExactReaders::may_have_reader(const RunId& run) const {
  // The readers of the last daemon are connecting again.
  return keepers_.contains(run.str()) ||
         std::chrono::steady_clock::now() < since_ + timeouts_.reader_away;
}

}  // namespace drover::queries
