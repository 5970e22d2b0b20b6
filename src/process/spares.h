// A spare is a keeper whose command has finished and which waits for the next request. Most
// commands are short, and creating and ending a process costs as much as running one; a keeper with
// nothing left of its last command is as good as a new one.
//
// Each spare has a seat: a socket through which the cradle hands it a request, and a shared atomic
// that decides races between the two. Only the cradle changes a seat from `waiting` to `busy`, and
// only the keeper changes it from `waiting` to `leaving`, so no request is handed to a keeper that
// exits.
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
  Fd requests;  // Closed: no seat was free; such a keeper runs one command.
  std::atomic<SeatState>* state = nullptr;

  // Waits for the next request. None: no request came in time, or `told_to_stop` is set.
  std::optional<Request> wait(const volatile std::sig_atomic_t& told_to_stop);
};

// The cradle's side of all seats.
class Spares {
 public:
  Spares();
  ~Spares();
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;

  // Hands the request to a waiting keeper and returns its pid; 0: none waits.
  std::int32_t give(const Request& request);

  // `prepare` before a fork: a seat for the new keeper. After it: `seated` in the cradle, and in
  // the keeper `close_in_keeper`, which closes the cradle's descriptors.
  Seat prepare();
  void seated(const Seat& seat, std::int32_t keeper);
  void close_in_keeper();

  // The keeper has exited. True: it was idle, so no command is lost.
  bool gone(std::int32_t keeper);
  // Idle keepers exit now; busy ones after their command.
  void dismiss();

 private:
  using Word = std::atomic<SeatState>;
  static_assert(Word::is_always_lock_free);

  struct Place {
    std::int32_t keeper = 0;  // 0: the seat is free.
    Fd requests;
  };
  std::array<Place, limits::kSpareKeepersMax> places_;
  Word* words_ = nullptr;  // One per place, shared with the keepers. Null: mmap failed.
};

}  // namespace drover::process
