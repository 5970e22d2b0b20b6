#include "api/http/places.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace drover::api {

Budget budget_for(std::uint64_t descriptors_max) {
  const auto half = static_cast<size_t>(std::min<std::uint64_t>(descriptors_max / 2, SIZE_MAX));
  const size_t all = std::clamp<size_t>(half, 4 * kTlsDescriptors, limits::kConnectionsMax);
  const size_t strangers = std::min(all / 4, limits::kStrangersMax);
  return {.all = all,
          .clients = all / 2,
          .strangers = strangers,
          .handshakes = std::max(strangers / 2, kTlsDescriptors)};
}

std::uint64_t descriptor_limit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

bool Places::has_room(Holder holder, size_t cost, const Budget& budget) const {
  if (used_all() + cost > budget.all) return false;
  switch (holder) {
    case Holder::owner:
      return true;
    case Holder::client:
      return used(holder) + cost <= budget.clients;
    case Holder::stranger:
      return used(holder) + cost <= budget.strangers;
  }
  std::unreachable();
}

bool Places::has_room_for_handshake(size_t cost, const Budget& budget) const {
  return in_handshakes_ + cost <= budget.handshakes;
}

std::unique_ptr<Place> Places::take(Holder holder, size_t cost, bool handshake) {
  return std::make_unique<Place>(shared_from_this(), holder, cost, handshake);
}

Place::Place(std::shared_ptr<Places> places, Holder holder, size_t cost, bool handshake)
    : places_(std::move(places)), holder_(holder), cost_(cost), handshake_(handshake) {
  places_->used_[static_cast<size_t>(holder_)] += cost_;
  if (handshake_) places_->in_handshakes_ += cost_;
}

void Place::finish_handshake() {
  if (std::exchange(handshake_, false)) places_->in_handshakes_ -= cost_;
}

bool Place::become_client(const Budget& budget) {
  if (holder_ != Holder::stranger) return true;
  if (places_->used(Holder::client) + cost_ > budget.clients) return false;
  places_->used_[static_cast<size_t>(Holder::stranger)] -= cost_;
  places_->used_[static_cast<size_t>(Holder::client)] += cost_;
  holder_ = Holder::client;
  return true;
}

void Place::give_back() {
  finish_handshake();
  places_->used_[static_cast<size_t>(holder_)] -= std::exchange(cost_, 0);
}

}  // namespace drover::api
