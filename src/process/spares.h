// A spare is a keeper whose command is over and which waits for the next one. Most commands are
// short, and making a process and ending it again costs as much as keeping it; a keeper that has
// nothing left of its last command is as good as a new one.
//
// Each spare has a seat: a pipe through which the cradle hands it a request, and a word of memory
// both share. The word says who has the say: only the cradle takes a seat from `waiting` to `busy`,
// only the keeper takes it to `leaving`, so that no request is handed to one that goes.
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <optional>

#include "base/fd.h"
#include "base/limits.h"
#include "process/report.h"

namespace drover::process {

enum class SeatState : std::uint32_t { busy, waiting, leaving };

// The keeper's side of a seat. Made in the cradle, used in the keeper after the fork.
struct Seat {
  Fd requests;  // Read end. Closed: no seat was free; such a keeper serves one command.
  std::atomic<SeatState>* state = nullptr;

  // Waits for the next request. None: nobody needs this keeper any more, or `told_to_stop` is set.
  std::optional<Request> wait(const volatile std::sig_atomic_t& told_to_stop);
};

// The cradle's side of all seats.
class Spares {
 public:
  Spares();
  ~Spares();
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;

  // Hands the request to one that waits; the pid of that keeper, or 0: none waits.
  std::int32_t give(const Request& request);

  // Before a fork: a seat for the new keeper. After it: who sits there (cradle), or the closing of
  // what is not the child's own (keeper).
  Seat prepare();
  void seated(const Seat& seat, std::int32_t keeper);
  void close_in_keeper();

  // The keeper is gone. True: it had been waiting, so nothing is lost with it.
  bool gone(std::int32_t keeper);
  // Those who wait go, and those who work go after it.
  void dismiss();

 private:
  using Word = std::atomic<SeatState>;
  static_assert(Word::is_always_lock_free);

  struct Place {
    std::int32_t keeper = 0;  // 0: the seat is free.
    Fd requests;              // Write end.
  };
  std::array<Place, limits::kSpareKeepersMax> places_;
  Word* words_ = nullptr;  // One for each place, shared with the keepers. Null: no memory for it.
};

}  // namespace drover::process
