// Plays are what the doors use of this room: begin a play of a project, stop it, find the latest.
// Whoever sees a play through (play/script.h) learns of it from the log; nothing is kept here.
//
// Lives on the daemon's loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "dispatch/dispatcher.h"
#include "play/known_projects.h"
#include "play/play_session.h"
#include "spine/spine.h"

namespace drover::play {

namespace asio = boost::asio;

// What Play and Stop answer.
struct PlayAnswer {
  bool ignored = false;
  std::string why;                  // Why nothing was done.
  std::optional<run::Record> play;  // The play's run as it is now; none: it was never played.
  bool replayed = false;            // Play was pressed with this key before: `play` is that one.
};

class Plays {
 public:
  // Everything borrowed must outlive it.
  Plays(store::Store& store, dispatch::Dispatcher& dispatcher, spine::Recorder record,
        const Clock& clock);

  // P6. `environment` is what its commands will see.
  asio::awaitable<Result<PlayAnswer>> play(KnownProject project,
                                           std::vector<std::string> environment,
                                           dispatch::IdempotencyKey key = {});
  // P7. The answer comes when the intent is on record; the end of the runtime follows. A step that
  // is running is not stopped; one that still waits for a slot never begins. With `only` that
  // play is stopped, and no other.
  asio::awaitable<Result<PlayAnswer>> stop(KnownProject project, std::optional<RunId> only = {});

  // The latest play of a project. None: it was never played, or that is long ago.
  Result<std::optional<run::Record>> latest(const KnownProject& project);
  // Its plays that are kept, newest first. Those of another directory, which had its id before, are
  // none of them.
  Result<std::vector<run::Record>> plays_of(const KnownProject& project, size_t limit);

 private:
  asio::awaitable<Result<PlayAnswer>> stop_waiting(run::Record play, PlaySession session);
  // `not_cancellable`: it has begun, or has ended.
  asio::awaitable<Result<>> cancel_queued(RunId child);

  store::Store& store_;
  dispatch::Dispatcher& dispatcher_;
  spine::Recorder record_;
  const Clock& clock_;
};

}  // namespace drover::play
