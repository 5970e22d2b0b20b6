// The Poller asks the servers of feeds and pages when they are due. New items, or a changed page,
// become events: their occurrences in the ledger, the state to remember and the time of the next
// poll are one commit. Of more than kAcceptedPerWork items, the occurrences of the first ones are
// commits before it; after a crash in between, the next poll finds all items again, and adds the
// occurrences that are missing.
//
// Lives on the daemon's loop. Everything borrowed must outlive it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>

#include "base/clock.h"
#include "base/id.h"
#include "spine/spine.h"
#include "store/read_pool.h"
#include "triggers/definition/spec.h"
#include "triggers/definition/stored_trigger.h"
#include "triggers/events/envelope.h"
#include "triggers/poll/fetcher.h"
#include "triggers/poll/poll_state.h"
#include "work/pool.h"

namespace drover::triggers {

// Gets a feed or a page: Fetcher::get.
using Fetch = std::function<asio::awaitable<Result<Fetched>>(FetchRequest)>;

class Poller {
 public:
  Poller(Fetch fetch, work::Pool& pool, const Clock& clock, store::ReadPool& reads,
         spine::Recorder record)
      : fetch_(std::move(fetch)),
        pool_(pool),
        clock_(clock),
        reads_(reads),
        record_(std::move(record)),
        ids_(clock) {}

  // Polls once. An error of the server is recorded; the call succeeds.
  asio::awaitable<Result<>> poll(StoredTrigger trigger, TriggerSpec spec);

 private:
  struct Poll;  // The result of one poll.
  asio::awaitable<Poll> ask(const StoredTrigger& trigger, const TriggerSpec& spec, PollState state);
  asio::awaitable<Result<>> write(StoredTrigger trigger, TriggerSpec spec, Poll found);
  EventEnvelope event_of(const TriggerSpec& spec, std::string id, std::string dedup_key,
                         std::string payload);

  const Fetch fetch_;
  work::Pool& pool_;
  const Clock& clock_;
  store::ReadPool& reads_;
  const spine::Recorder record_;
  IdMaker ids_;
};

}  // namespace drover::triggers
