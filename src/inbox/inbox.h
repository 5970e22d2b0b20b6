// Inbox is the interface of this room for the doors: runs ask and report, people answer and
// dismiss. Each change is one commit with its event (question.asked, run.reported …).
//
// A request of a run has a key: repeating it adds nothing, also after a crash, and also if the
// request went through the spool (spool_reader.h). It keeps no state; the timer of the deadlines
// learns of a question by `changed`.
// The values of a run's environment, which an entry must not show, are in the run's file: they are
// read and searched for on a worker, in the line of the caller.
//
// Lives on the daemon's loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>

#include "base/clock.h"
#include "base/home.h"
#include "base/id.h"
#include "inbox/entry.h"
#include "spine/spine.h"
#include "store/read_pool.h"
#include "work/pool.h"

namespace drover::inbox {

namespace asio = boost::asio;

class Inbox {
 public:
  // Called after each commit, with the entry as it is now.
  using Changed = std::function<void(const Entry& now)>;

  // Everything borrowed must outlive it.
  Inbox(const Clock& clock, store::ReadPool& reads, work::Pool& workers, spine::Recorder record,
        const Home& home, Changed changed);

  struct Added {
    Entry entry;
    bool replayed = false;  // The key was used before; this is the first entry.
  };
  // Adds what request_body.h has read, for that run. Refused: `not_found`;
  // `idempotency_key_reused`; `too_many_questions`; `quota_exceeded` (check_share). `caller` waits
  // for its turn among the callers.
  asio::awaitable<Result<Added>> add(RunId run, Entry entry, std::string key, work::Caller caller);

  // Refusals: decision.h. `id` is a complete one. `by`: "owner" or "token".
  asio::awaitable<Result<Entry>> answer(std::string id, Answer answer, std::string by);
  asio::awaitable<Result<Entry>> dismiss(std::string id, std::string by);
  asio::awaitable<Result<Entry>> withdraw(std::string id);

 private:
  asio::awaitable<Result<Entry>> close(std::string id, Happening happening, Answer answer,
                                       std::string by);

  const Clock& clock_;
  store::ReadPool& reads_;
  work::Pool& workers_;
  const spine::Recorder record_;
  const Home& home_;
  const Changed changed_;
  IdMaker ids_;
};

}  // namespace drover::inbox
