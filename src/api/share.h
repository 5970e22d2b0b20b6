// The share of a request: on whose behalf it uses the threads beside the loop (work/caller.h). That
// is its token, or all runs beneath one run; so a hundred runs of one scope wait in one line, and
// not before the owner.
#pragma once

#include "access/quota.h"
#include "work/caller.h"

namespace drover::api {

inline work::Caller share_for(const access::Grant& grant) {
  return {.name = access::share_of(grant), .is_token = !grant.is_owner};
}

}  // namespace drover::api
