// Home is every directory in which Drover keeps files (W8).
//
//   $DROVER_HOME/{config,state,run}, or else XDG: ~/.config/drover, ~/.local/state/drover and
//   $XDG_RUNTIME_DIR/drover (the state directory where there is no runtime directory).
#pragma once

#include <string>
#include <string_view>

#include "base/id.h"
#include "base/result.h"

namespace drover {

struct Home {
  std::string config;
  std::string state;
  std::string runtime;

  static Result<Home> from_environment();

  std::string database() const { return state + "/drover.db"; }
  // The last event number that was given (store/sqlite/generation.h).
  std::string generation() const { return state + "/generation"; }
  std::string runs() const { return state + "/runs"; }
  // A run's file: journal and command. The run's directory holds its output; it is created with the
  // first byte of output.
  std::string run_file(const RunId& id) const { return run_directory(id) + ".run"; }
  std::string run_directory(const RunId& id) const { return runs() + "/" + id.str(); }
  // How a run ended, if it had no keeper that could write it down (dispatch/files/run_end.h).
  std::string run_end(const RunId& id) const { return run_directory(id) + "/end"; }
  std::string trash() const { return state + "/trash"; }
  std::string socket() const { return runtime + "/drover.sock"; }
  // The control sockets of the keepers, in a directory of their own so that their names stay short.
  std::string controls() const { return runtime + "/k"; }
  std::string lock() const { return state + "/daemon.lock"; }
  std::string owner_token() const { return state + "/owner.token"; }
  std::string log() const { return state + "/droverd.log"; }

  // Creates the missing directories, private to the owner. `unsafe_home`: another user can change a
  // directory or a file of the home, or replace one on the way to it (ownership.h).
  Result<> create() const;
};

}  // namespace drover
