// A quota is how much one caller other than the owner may take from all others: queued and active
// runs, lanes that it creates, output that is kept, open streams, and the highest priority. The
// limits are constants (limits.h). Exceeding one is `quota_exceeded`; the message names the limit,
// and `param` what is counted.
//
// Runs, lanes and bytes are counted in a scope and below it, in the transaction that records the
// run, so no counter can drift and two requests cannot both take the last place. A token counts in
// its scope; a run in that of the outermost run that it is beneath, so that runs within runs share
// one quota. A token for every scope has no scope to count in: only its priority and its streams
// are limited.
#pragma once

#include <string>
#include <string_view>

#include "access/grant.h"
#include "base/result.h"
#include "store/transaction.h"

namespace drover::access {

// The scope in which the quotas of this caller are counted. Empty: none.
std::string quota_scope(const Grant& grant);

// The name under which a caller's share of streams and workers is counted: a token, all runs
// beneath one run, or all strangers. Empty: the owner.
std::string share_of(const Grant& grant);

std::unexpected<Error> quota_exceeded(std::string param, std::string message);

Result<> check_priority(const Grant& grant, int priority);

// The things that a request is about to record.
struct QuotaRequest {
  bool adds_run = true;
  std::string lane = {};  // Empty: it stays in a lane that exists.
  // Its idempotency key, and the scope of the run: a repeated request adds nothing.
  std::string scope = {};
  std::string key = {};
};
// Refuses the request inside its transaction. Empty: this caller has no quota.
store::Work quota_check(const Grant& grant, QuotaRequest request);

}  // namespace drover::access
