// Somebody removes the socket, the sockets of the keepers, or the runtime directory.
#include <array>
#include <filesystem>

#include "tests/siege/attack.h"

namespace drover::siege {
namespace {

namespace fs = std::filesystem;

void clean(Target& target, tests::SeededRandom& random) {
  const auto places = std::to_array<std::string>(
      {target.flock.home().socket(), target.flock.home().controls(), target.flock.home().runtime});
  std::error_code missing;
  fs::remove_all(places[static_cast<size_t>(random.below(places.size()))], missing);
  (void)target.ask({.method = "GET", .target = "/api/status"});  // Until it listens again.
}

constexpr auto kAll = std::to_array<Attack>({{"removed sockets", clean, true}});

}  // namespace

std::span<const Attack> cleaners() {
  return kAll;
}

}  // namespace drover::siege
