// HookTriggers receives the requests to /hooks/PATH: it verifies the signature (signature.h),
// records the event in the ledger of the trigger of this path, and starts its run. A delivery that
// is repeated is answered with the occurrence of the first one, and starts nothing. The owner
// passes it each change of a trigger; secrets are read for each request and never kept.
//
// Lives on the daemon's loop. Everything borrowed must outlive it. It does not know HTTP.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <string>

#include "base/clock.h"
#include "requests/daemon_environment.h"
#include "spine/spine.h"
#include "store/read_pool.h"
#include "triggers/firing/firing.h"
#include "triggers/hooks/signature.h"

namespace drover::triggers {

// The result of a delivery.
struct Delivery {
  Occurrence occurrence;
  bool is_repeated = false;  // The occurrence is of an earlier request.
};

class HookTriggers {
 public:
  HookTriggers(const Clock& clock, store::ReadPool& reads, spine::Recorder record, Firing& firing,
               requests::DaemonEnvironment& environment)
      : clock_(clock),
        reads_(reads),
        record_(std::move(record)),
        firing_(firing),
        environment_(environment) {}

  // Adds or replaces a trigger; one of another source is removed.
  void set(const StoredTrigger& trigger);
  void remove(const std::string& name);

  // Errors: `not_found` if no trigger has this path; those of verify_hook and SecretSource; those
  // of check_payload. `request.body` must stay valid. `caller` is the sender, nearly always a
  // stranger: the store is asked in its line.
  asio::awaitable<Result<Delivery>> deliver(std::string path, HookRequest request,
                                            work::Caller caller);
  // Refuses, by the headers alone, a request that `deliver` would refuse with any body: `not_found`
  // and `signature_missing`.
  Result<> check_head(const std::string& path, const HookRequest& request) const;

 private:
  asio::awaitable<Result<Occurrence>> decide(const std::string& trigger, const std::string& key,
                                             const work::Caller& caller);

  const Clock& clock_;
  store::ReadPool& reads_;
  const spine::Recorder record_;
  // Variables with secrets in use are withheld from runs.
  void withhold_secrets();

  Firing& firing_;
  requests::DaemonEnvironment& environment_;
  std::map<std::string, TriggerSpec> by_path_;
};

}  // namespace drover::triggers
