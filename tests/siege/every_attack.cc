#include "tests/siege/attack.h"

namespace drover::siege {

std::vector<Attack> every_attack() {
  std::vector<Attack> all;
  for (const auto& kind : {hostile_runs(), hostile_plays(), intruders(), strangers(), tls_crowds(),
                           greedy_tokens(), floods(), large_requests(), slow_readers(), full_disk(),
                           cleaners(), foreign_homes(), stoppers(), killers(), ordinary_load()}) {
    all.insert(all.end(), kind.begin(), kind.end());
  }
  return all;
}

}  // namespace drover::siege
