// Removal deletes the record and output of a finished run; its evidence stays (R8).
#pragma once

#include "dispatch/host.h"
#include "dispatch/run_directories.h"

namespace drover::dispatch {

// Everything borrowed must outlive the call.
asio::awaitable<Result<>> remove_run(const Host& host, RunDirectories& directories, RunId id);

}  // namespace drover::dispatch
