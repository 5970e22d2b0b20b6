// The Director plays projects (P1–P9): it takes each play from its first step to the end of its
// runtime, by asking for runs and reading how they end. It starts nothing itself, and keeps
// nothing: what it has done so far is on record, so another daemon's Director goes on where this
// one was.
//
// A play is a run of kind `play`, with no keeper. Its steps, its manifest and its runtime are runs
// of their own, asked for under keys that follow from the play's id: asking twice gives the same.
// Lives on the daemon's loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <map>
#include <set>

#include "bus/bell.h"
#include "dispatch/dispatcher.h"
#include "play/project.h"
#include "session/session.h"

namespace drover::stage {

namespace asio = boost::asio;

// What Play and Stop answer. `why` says why nothing was done.
struct Pressed {
  bool ignored = false;
  std::string why;
  std::optional<run::Record> play;  // The session's run as it is now; none: it was never played.
  bool replayed = false;            // Play was pressed with this key before: `play` is that one.
};

// What tells a Play that is asked for once more, because its answer was lost, from another.
struct Once {
  std::string key = {};  // Empty: every one is another.
  std::string digest = {};
};

class Director {
 public:
  // Everything borrowed must outlive it. `programs` is where droverd stands.
  Director(asio::any_io_executor loop, Home home, std::string programs, store::Store& store,
           bus::Bell& bell, dispatch::Dispatcher& dispatcher, const Clock& clock);

  // After recovery, before the doors open: goes on with every play that is under way.
  Result<> resume();

  // P6. `environment` is what its commands will see.
  asio::awaitable<Result<Pressed>> play(store::Project project,
                                        std::vector<std::string> environment, Once once = {});
  // P7. The answer comes when the intent is on record; the end of the runtime follows. A step that
  // is under way is not stopped; one that still waits for a slot never begins. With `only` that
  // play is stopped, and no other.
  asio::awaitable<Result<Pressed>> stop(store::Project project, std::optional<RunId> only = {});

  // The latest play of a project. None: it was never played, or that is long ago.
  Result<std::optional<run::Record>> latest(const store::Project& project);
  // Its plays that are kept, newest first. Those of another folder, which had its id before, are
  // none of them.
  Result<std::vector<run::Record>> plays_of(const store::Project& project, size_t limit);

 private:
  // One play. What its children will see stands in its file, and is read when one is asked for.
  struct Play {
    RunId id;
    std::string project = {};
    std::string trace_id = {};
    std::vector<std::string> secrets = {};  // Nothing that is told of it holds one of these.
  };
  struct Surroundings {
    std::string root;
    std::vector<std::string> environment;
  };
  using Failure = std::optional<run::SessionChanged>;
  using Wish = std::function<Result<std::optional<run::Spec>>(const Surroundings&)>;

  Result<Surroundings> look_around(Play& play);
  void direct(const RunId& id);
  asio::awaitable<void> direct_later();
  asio::awaitable<void> see_through(RunId id);
  asio::awaitable<Result<Pressed>> stop_waiting(run::Record play, session::Session session);

  // preparation.cc
  asio::awaitable<Failure> prepare(Play& play);
  asio::awaitable<Failure> take_step(Play& play, session::Stage stage, const Wish& wish);
  asio::awaitable<Failure> look_for_blocking_lines(run::Record validation);

  // performance.cc
  asio::awaitable<void> perform(Play& play);

  // children.cc: the runs of a play.
  asio::awaitable<std::map<session::Stage, RunId>> children_of(const Play& play);
  enum class Which : std::uint8_t { all, active };
  asio::awaitable<std::vector<run::Record>> recorded_children(const Play& play, Which which);
  // Of a play that nobody can go on with: what it has started ends, and then it does.
  asio::awaitable<void> give_up(const Play& play);
  // Nothing: the wish had nothing to ask for. `stopped`: Stop was pressed before.
  asio::awaitable<Result<std::optional<RunId>>> ask_for(Play& play, session::Stage stage,
                                                        const Wish& wish);
  asio::awaitable<Result<RunId>> submit(Play& play, session::Stage stage, run::Spec spec,
                                        Surroundings around);
  asio::awaitable<void> note_child(const Play& play, session::Stage stage, RunId child);
  // `not_cancellable`: it has begun, or has ended.
  asio::awaitable<Result<>> cancel_queued(RunId child);
  // As soon as it has come that far, or has ended. Carries a Stop out that came meanwhile.
  asio::awaitable<run::Record> watch(const Play& play, RunId child, run::State until);
  asio::awaitable<run::Record> look_until(const Play& play, bus::Subscription& news, RunId child,
                                          run::State until);
  asio::awaitable<run::Record> find(RunId id);
  asio::awaitable<void> tell(const Play& play, run::SessionChanged change);
  asio::awaitable<void> put_on_record(const Play& play, run::Fact fact);
  asio::awaitable<void> pause();

  asio::any_io_executor loop_;
  Home home_;
  std::string programs_;
  store::Store& store_;
  bus::Bell& bell_;
  dispatch::Dispatcher& dispatcher_;
  const Clock& clock_;
  // What each play listens to. Here, and not in what waits for it: that goes with the loop, when
  // the bell is gone already.
  std::map<RunId, bus::Subscription> news_;
  std::set<RunId> directed_;  // Each play once.
};

}  // namespace drover::stage
