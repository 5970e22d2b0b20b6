// What happens to a composite, a run that is made of others: judged here for `apply`
// (run/transition.h). Pure.
#pragma once

#include "run/change.h"
#include "run/fact.h"

namespace drover::run {

// P6: one at a time. The message names the one that is under way.
std::unexpected<Error> already_playing(const Record& rival);

// Somebody has removed it meanwhile.
std::unexpected<Error> no_such_project(const Record& play);

// P7: Stop was pressed, or it is over. What it would have played never begins.
bool is_stopped(const Record& play);
std::unexpected<Error> stopped(const Record& play);

// From its first commit on a play is running, and its session is preparing: nothing is waited for.
Result<> begin_session(Change& change, WallMs now);

Result<Change> advance(const Record& before, const Advanced& fact, WallMs now);
Result<Change> change_session(const Record& before, const SessionChanged& fact, WallMs now);
Result<Change> lose_session(const Record& before, WallMs now);

}  // namespace drover::run
