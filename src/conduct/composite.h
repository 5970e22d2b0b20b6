// A Composite is one run that is made of others (run/kind.h), from the view of its script: what the
// script can ask for, wait for and record. Every function waits while the store cannot be read or
// written; only `ask` gives up in the end, because a disk may stay full.
//
// Lives on the daemon's loop; owned by the Conductor.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conduct/parts.h"
#include "conduct/script.h"
#include "process/command.h"
#include "run/fact.h"
#include "run/secrets.h"

namespace drover::conduct {

class Composite {
 public:
  // `parts` and `script` must outlive it.
  Composite(const Parts& parts, const Script& script, const run::Record& record);

  const RunId& id() const { return id_; }
  const std::string& scope() const { return scope_; }

  // The record as it is stored now.
  asio::awaitable<run::Record> record();
  // Whether its cancellation was requested.
  asio::awaitable<bool> stopped();
  // Read from its own run file, which has the real working directory and environment (R15).
  Result<process::Command> own_command();
  // `text` without the secret values of its environment and of the children asked for so far.
  std::string redacted(const std::string& text) const;
  // From now on also without the secret values of this environment: of a child that an earlier
  // daemon has submitted.
  void hide(const std::map<std::string, std::string>& environment);

  // Makes the spec of a child from the composite's own command. Nothing: there is nothing to run.
  using MakeSpec = std::function<Result<std::optional<run::Spec>>(const process::Command& own)>;
  // Submits the child named `key`, in the composite's scope and trace; its environment is the
  // composite's, overridden by the spec's. Asking twice returns the same child. `make` is called
  // for each try. Nothing: `make` returned nothing. Fails if `make` or the dispatcher refuses, or
  // if the store or disk stays unavailable.
  asio::awaitable<Result<std::optional<RunId>>> ask(std::string key, MakeSpec make);

  // The children submitted so far whose records were not deleted, newest first, including those
  // that an earlier daemon submitted just before it died. `name` is the key.
  asio::awaitable<std::vector<run::Record>> children();

  // Returns the child's record as soon as it is in `state` or has finished. If the child was
  // deleted, the record has only what its evidence says. If the composite is stopped meanwhile, a
  // child whose kind ends with its parent is canceled.
  asio::awaitable<run::Record> until(RunId child, run::State state);

  // Records a change of the phase. A refusal is logged.
  asio::awaitable<void> phase(run::PhaseChanged change);

  // Finishes a composite whose script cannot continue: requests its cancellation, cancels its
  // queued children, waits until all children have finished, then records `last`, which must finish
  // it.
  asio::awaitable<void> give_up(run::PhaseChanged last);

 private:
  asio::awaitable<Result<RunId>> submit(const std::string& key, run::Spec spec,
                                        std::vector<std::string> environment);
  asio::awaitable<run::Record> look_until(bus::Subscription& subscription, RunId child,
                                          run::State state);
  asio::awaitable<run::Record> find(RunId id);
  asio::awaitable<void> record_fact(run::Fact fact);
  bool is_own(const run::Record& run) const;
  bool ends_with_parent(const run::Record& child) const;

  const Parts& parts_;
  const Script& script_;
  const RunId id_;
  const std::int64_t number_;
  const std::string scope_;
  const std::string trace_id_;
  run::Secrets secrets_;
  // Here, not in the waiting coroutine: that is destroyed with the loop, after the bell.
  std::list<bus::Subscription> subscriptions_;
};

}  // namespace drover::conduct
