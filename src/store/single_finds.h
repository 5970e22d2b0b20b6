// SingleFinds look up runs by their ids for the daemon itself. The records that are wanted at the
// same moment share one read, so thousands of callers take one worker and one place in its
// line, and none of them is refused. A record that cannot be read fails its own callers alone.
//
// Lives on the loop; owned by the ReadPool, which does the reads.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "store/stored_run.h"

namespace drover::store {

namespace asio = boost::asio;

// In one read: some milliseconds, also if each of them was deleted.
inline constexpr size_t kSingleFindsMax = 256;

using FoundRun = Result<std::optional<StoredRun>>;

struct WantedRun {
  RunId id;
  bool or_deleted = false;  // The evidence of a deleted run will do.
};
// The answers in the order of `wanted`.
using FoundRuns = Result<std::vector<FoundRun>>;
FoundRuns find_all(Reads& store, const std::vector<WantedRun>& wanted);

class SingleFinds {
 public:
  using AskAll = std::function<asio::awaitable<FoundRuns>(std::vector<WantedRun>)>;

  SingleFinds(asio::any_io_executor loop, AskAll ask);
  ~SingleFinds();

  asio::awaitable<FoundRun> find(WantedRun wanted);

 private:
  struct Waiting;
  asio::awaitable<void> answer_all();

  asio::any_io_executor loop_;
  AskAll ask_;
  std::vector<Waiting> waiting_;
  bool asking_ = false;
};

}  // namespace drover::store
