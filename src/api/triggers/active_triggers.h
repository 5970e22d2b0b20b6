// The triggers for which the daemon keeps running.
#pragma once

#include "api/keeps_running.h"

namespace drover::api {

Result<RunningReason> active_triggers(store::Reads& store);

}  // namespace drover::api
