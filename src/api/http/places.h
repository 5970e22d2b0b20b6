// A Place is the right of one connection to use descriptors of the daemon. The Places divide them
// among the callers, so that none can use up those of another:
//
//   the owner, on the unix socket            a quarter at least
//   clients: authenticated, over TCP         half at most
//   strangers: not authenticated, over TCP   a quarter at most; half of that in TLS handshakes
//
// The numbers follow from the daemon's own limit on descriptors (RLIMIT_NOFILE), half of which is
// for connections; runs, followed logs and the database need the rest. The memory that a stranger
// may use follows from its place: one head of a request, and no body (limits.h).
//
// Lives on the daemon's loop. A place keeps its Places alive, and is given back when it is
// destroyed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace drover::api {

enum class Holder : std::uint8_t { owner, client, stranger };

// How many descriptors connections may use: all of them together, and each kind of holder over TCP.
struct Budget {
  size_t all = 0;
  size_t clients = 0;
  size_t strangers = 0;
  size_t handshakes = 0;  // Of the strangers': those that have not finished the TLS handshake.
};
// Pure. Small limits leave a place for one stranger.
Budget budget_for(std::uint64_t descriptors_max);
// The limit of this process.
std::uint64_t descriptor_limit();

// A client behind TLS: its socket, and both ends of the pair that carries its plain bytes.
inline constexpr size_t kTlsDescriptors = 3;

class Place;

class Places : public std::enable_shared_from_this<Places> {
 public:
  // Whether `cost` more descriptors are free for this holder.
  bool has_room(Holder holder, size_t cost, const Budget& budget) const;
  bool has_room_for_handshake(size_t cost, const Budget& budget) const;
  std::unique_ptr<Place> take(Holder holder, size_t cost, bool handshake);

  size_t used(Holder holder) const { return used_[static_cast<size_t>(holder)]; }

 private:
  friend class Place;
  size_t used_all() const { return used_[0] + used_[1] + used_[2]; }
  std::array<size_t, 3> used_{};
  size_t in_handshakes_ = 0;
};

class Place {
 public:
  Place(std::shared_ptr<Places> places, Holder holder, size_t cost, bool handshake);
  ~Place() { give_back(); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  Holder holder() const { return holder_; }
  bool in_handshake() const { return handshake_; }
  void finish_handshake();
  // The stranger has authenticated. False: the clients' descriptors are used up.
  bool become_client(const Budget& budget);
  // The descriptors are closed. Repeating it changes nothing.
  void give_back();

 private:
  std::shared_ptr<Places> places_;
  Holder holder_;
  size_t cost_;
  bool handshake_;
};

}  // namespace drover::api
