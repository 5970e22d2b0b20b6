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

#include <map>

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
};

class Director {
 public:
  // Everything borrowed must outlive it. `programs` is where droverd stands.
  Director(asio::any_io_executor loop, Home home, std::string programs, const Clock& clock,
           store::Store& store, bus::Bell& bell, dispatch::Dispatcher& dispatcher);

  // After recovery, before the doors open: goes on with every play that is under way.
  Result<> resume();

  // P6. `environment` is what its commands will see.
  asio::awaitable<Result<Pressed>> play(store::Project project,
                                        std::vector<std::string> environment);
  // P7. The answer comes when the intent is on record; the end of the runtime follows.
  asio::awaitable<Result<Pressed>> stop(store::Project project);

  // The latest play of a project. None: it was never played, or that is long ago.
  Result<std::optional<run::Record>> latest(const std::string& project);

 private:
  // One play, as its run's file has it.
  struct Play {
    RunId id;
    std::string project = {};
    std::string root = {};
    std::string trace_id = {};
    std::vector<std::string> environment = {};
  };
  using Failure = std::optional<run::SessionChanged>;

  Result<Play> read(const run::Record& record);
  void direct(const run::Record& record);
  asio::awaitable<void> see_through(RunId id);
  asio::awaitable<Failure> prepare(const Play& play);
  asio::awaitable<Failure> take_step(const Play& play, session::Stage stage, run::Spec spec);
  asio::awaitable<void> perform(const Play& play);
  asio::awaitable<Result<RunId>> spawn_runtime(const Play& play);
  asio::awaitable<Result<run::Record>> ask_for(const Play& play, session::Stage stage,
                                               run::Spec spec);
  asio::awaitable<Result<run::Record>> watch(const Play& play, RunId child, run::State until);
  asio::awaitable<Result<run::Record>> watch(bus::Subscription& news, RunId child,
                                             run::State until);
  asio::awaitable<void> tell(const Play& play, run::SessionChanged change);
  Result<std::optional<RunId>> runtime_of(const Play& play);
  Failure blocking_line(const RunId& validation);
  run::Spec spec_for(const Play& play, const play::Preparation& preparation) const;
  asio::awaitable<void> pause();

  asio::any_io_executor loop_;
  Home home_;
  std::string programs_;
  const Clock& clock_;
  store::Store& store_;
  bus::Bell& bell_;
  dispatch::Dispatcher& dispatcher_;
  // What each play listens to. Here, and not in what waits for it: that goes with the loop, when
  // the bell is gone already.
  std::map<RunId, bus::Subscription> news_;
};

}  // namespace drover::stage
