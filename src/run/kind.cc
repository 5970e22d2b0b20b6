#include "run/kind.h"

#include <algorithm>

namespace drover::run {

Kinds::Kinds(std::span<const std::span<const Kind>> of_rooms) : all_{Kind{.name = kCommand}} {
  for (const std::span<const Kind> kinds : of_rooms) {
    all_.insert(all_.end(), kinds.begin(), kinds.end());
  }
}

const Kind* Kinds::find(std::string_view name) const {
  const auto found = std::ranges::find(all_, name, &Kind::name);
  return found == all_.end() ? nullptr : &*found;
}

bool Kinds::is_composite(std::string_view name) const {
  const Kind* kind = find(name);
  return kind != nullptr && kind->composite;
}

std::vector<std::string> Kinds::names() const {
  std::vector<std::string> out;
  for (const Kind& kind : all_) out.emplace_back(kind.name);
  return out;
}

const Kind* Kinds::owner_of(std::string_view lane) const {
  const Kind* owner = nullptr;
  if (lane.empty()) return owner;
  for (const Kind& kind : all_) {
    if (kind.lane == lane && (owner == nullptr || kind.composite)) owner = &kind;
  }
  return owner;
}

const Kinds& only_commands() {
  static const Kinds kinds;
  return kinds;
}

}  // namespace drover::run
