#include "dispatch/progress/adopted_output.h"

#include <chrono>
#include <vector>

#include "base/limits.h"
#include "base/output_file.h"
#include "run/progress.h"

namespace drover::dispatch {
namespace {

constexpr std::chrono::milliseconds kEvery{limits::kGrowthEveryMs};
constexpr std::chrono::milliseconds kBreath{1};
constexpr size_t kLooksInARow = 32;  // Each opens a few files; then the loop serves others.

}  // namespace

void AdoptedOutput::follow(const run::Record& record) {
  seen_.try_emplace(record.id, run::output_bytes_in(record.progress));
  if (!std::exchange(looking_, true)) host_.spawn(look_on());
}

asio::awaitable<void> AdoptedOutput::look_on() {
  while (!seen_.empty()) {
    co_await host_.pause(kEvery);
    std::vector<RunId> all;
    for (const auto& [id, bytes] : seen_) all.push_back(id);
    for (size_t i = 0; i < all.size(); ++i) {
      if (i % kLooksInARow == kLooksInARow - 1) co_await host_.pause(kBreath);
      const auto found = seen_.find(all[i]);
      if (found == seen_.end()) continue;
      if (flights_.contains(all[i])) {
        look(all[i], found->second);
      } else {
        seen_.erase(found);
      }
    }
  }
  looking_ = false;
}

void AdoptedOutput::look(const RunId& id, std::int64_t& seen) {
  const auto size = OutputReader(host_.home.run_directory(id)).size();
  if (!size || static_cast<std::int64_t>(*size) <= seen) return;
  seen = static_cast<std::int64_t>(*size);
  // Refused if it has just finished.
  host_.spine.record(
      run::Progressed{.id = id, .what = run::OutputGrowth{.bytes = seen, .lines = {}}},
      [](const Result<store::Written>&) {});
}

}  // namespace drover::dispatch
