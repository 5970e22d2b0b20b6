// A cause is the reason of an occurrence as a clause for people: it follows "nightly did not run at
// 03:00: ". The stored reason is a word and, after ": ", a detail that was true when it was
// decided. Pure.
#pragma once

#include <string>

#include "base/clock.h"
#include "triggers/ledger/occurrence.h"

namespace drover::triggers {

// "the daemon was not running; missed: skip". Empty: it fired on time.
std::string cause_of(const Occurrence& occurrence);

// Why a due time was late, for the detail of its reason. `daemon_began`: when the daemon that
// decides it started.
std::string_view lateness_of(WallMs due_at, WallMs daemon_began);
// "after 3 failed runs in a row".
std::string backoff_detail(std::int64_t errors);

}  // namespace drover::triggers
