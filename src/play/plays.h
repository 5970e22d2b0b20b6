// Plays is the interface of this room for the API: start a play of a project, stop it, find the
// latest one. It keeps no state: the script (play/script.h) learns of each play from the log.
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

// The answer to Play and to Stop.
struct PlayAnswer {
  bool ignored = false;
  std::string why;                  // Why the request was ignored.
  std::optional<run::Record> play;  // The play's run as it is now; empty: it was never played.
  bool replayed = false;            // An earlier request with this key started `play`.
};

class Plays {
 public:
  // Everything borrowed must outlive it.
  Plays(store::Store& store, dispatch::Dispatcher& dispatcher, spine::Recorder record,
        const Clock& clock);

  // P6. `environment` is the environment of the play's commands.
  asio::awaitable<Result<PlayAnswer>> play(KnownProject project,
                                           std::vector<std::string> environment,
                                           dispatch::IdempotencyKey key = {});
  // P7. The answer comes when the intent is on record; the end of the runtime follows. A step that
  // is running is not stopped; one that still waits for a slot never begins. With `only` that
  // play is stopped, and no other.
  asio::awaitable<Result<PlayAnswer>> stop(KnownProject project, std::optional<RunId> only = {});

  // The latest play of a project. Empty: it was never played, or the record was deleted.
  Result<std::optional<run::Record>> latest(const KnownProject& project);
  // The plays whose records still exist, newest first. Plays of another directory, which had this
  // id before, are not included.
  Result<std::vector<run::Record>> plays_of(const KnownProject& project, size_t limit);

 private:
  asio::awaitable<Result<PlayAnswer>> stop_waiting(run::Record play, PlaySession session);
  // `not_cancellable`: the child has started or finished.
  asio::awaitable<Result<>> cancel_queued(RunId child);

  store::Store& store_;
  dispatch::Dispatcher& dispatcher_;
  spine::Recorder record_;
  const Clock& clock_;
};

}  // namespace drover::play
