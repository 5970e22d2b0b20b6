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
#include "store/read_pool.h"

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
  Plays(store::ReadPool& reads, dispatch::Dispatcher& dispatcher, spine::Recorder record,
        const Clock& clock);

  // P6. `environment` is the environment of the play's commands. `first` is carried out in the
  // transaction that records the play (dispatch::Submission), for example a check of quotas.
  asio::awaitable<Result<PlayAnswer>> play(KnownProject project,
                                           std::vector<std::string> environment,
                                           dispatch::IdempotencyKey key = {},
                                           store::Work first = {});
  // P7. The answer comes when the intent is on record; the end of the runtime follows. A step that
  // is running is not stopped; one that still waits for a slot never begins. With `only` that
  // play is stopped, and no other.
  asio::awaitable<Result<PlayAnswer>> stop(KnownProject project, std::optional<RunId> only = {});

 private:
  // As `latest_play`, with everything that was written since.
  asio::awaitable<Result<std::optional<run::Record>>> latest(KnownProject project);
  asio::awaitable<Result<PlayAnswer>> stop_waiting(run::Record play, PlaySession session);
  // `not_cancellable`: the child has started or finished.
  asio::awaitable<Result<>> cancel_queued(RunId child);

  store::ReadPool& reads_;
  dispatch::Dispatcher& dispatcher_;
  spine::Recorder record_;
  const Clock& clock_;
};

// The latest play of a project. Empty: it was never played, or the record was deleted. `now` is the
// wall clock.
Result<std::optional<run::Record>> latest_play(store::Reads& store, const KnownProject& project,
                                               WallMs now);
// The plays whose records still exist, newest first. Plays of another directory, which had this id
// before, are not included.
Result<std::vector<run::Record>> plays_of(store::Reads& store, const KnownProject& project,
                                          WallMs now, size_t limit);

}  // namespace drover::play
