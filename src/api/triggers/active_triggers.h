// The active triggers are the reason why a daemon without runs keeps running (keeps_running.h).
#pragma once

#include "api/keeps_running.h"

namespace drover::api {

Result<RunningReason> active_triggers(store::Reads& store);

}  // namespace drover::api
