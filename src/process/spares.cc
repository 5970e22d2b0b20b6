#include "process/spares.h"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <new>
#include <utility>

#include "process/packet_pair.h"

namespace drover::process {

std::optional<Request> Seat::wait(const volatile std::sig_atomic_t& told_to_stop) {
  if (!requests) return {};
  sigset_t waiting;
  sigfillset(&waiting);
  sigdelset(&waiting, SIGTERM);
  state->store(SeatState::waiting);
  const timespec timeout{.tv_sec = limits::kSpareWaitMs / 1'000, .tv_nsec = 0};
  pollfd poll{.fd = requests.get(), .events = POLLIN, .revents = 0};
  const int ready = ::ppoll(&poll, 1, &timeout, &waiting);
  if (ready <= 0 || told_to_stop != 0) {
    SeatState expected = SeatState::waiting;
    if (state->compare_exchange_strong(expected, SeatState::leaving)) return {};
    // The cradle was faster: the request is in the socket, or about to be.
  }
  Request request;
  ssize_t n = 0;
  do {
    n = ::read(requests.get(), &request, sizeof request);
  } while (n < 0 && errno == EINTR);
  if (n != static_cast<ssize_t>(sizeof request)) return {};  // The cradle is gone.
  return request;
}

Spares::Spares() {
  void* const memory = ::mmap(nullptr, sizeof(Word) * places_.size(), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  words_ = static_cast<Word*>(memory);
  for (size_t i = 0; i < places_.size(); ++i) new (words_ + i) Word(SeatState::busy);
}

Spares::~Spares() {
  if (words_ != nullptr) ::munmap(words_, sizeof(Word) * places_.size());
}

std::int32_t Spares::give(const Request& request) {
  for (size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    SeatState expected = SeatState::waiting;
    if (place.keeper == 0 || !words_[i].compare_exchange_strong(expected, SeatState::busy)) {
      continue;
    }
    if (::write(place.requests.get(), &request, sizeof request) ==
        static_cast<ssize_t>(sizeof request)) {
      return place.keeper;
    }
    words_[i].store(SeatState::leaving);  // It was killed while it waited; it will be reaped.
  }
  return 0;
}

Seat Spares::prepare() {
  const auto free = std::ranges::find(places_, 0, &Place::keeper);
  PacketPair pair;
  if (words_ == nullptr || free == places_.end() || !pair.open()) return {};
  Word* const word = words_ + (free - places_.begin());
  word->store(SeatState::busy);
  free->requests = std::move(pair.ours);
  return {.requests = std::move(pair.theirs), .state = word};
}

void Spares::seated(const Seat& seat, std::int32_t keeper) {
  if (seat.requests) places_[static_cast<size_t>(seat.state - words_)].keeper = keeper;
}

void Spares::close_in_keeper() {
  for (Place& place : places_) place.requests.close();
}

bool Spares::gone(std::int32_t keeper) {
  const auto place = std::ranges::find(places_, keeper, &Place::keeper);
  if (place == places_.end()) return false;
  *place = {};
  return words_[place - places_.begin()].load() != SeatState::busy;
}

void Spares::dismiss() {
  for (Place& place : places_) place.requests.close();
}

}  // namespace drover::process
