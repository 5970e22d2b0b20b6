// Removal takes record and output of an ended run away; its evidence stays (R8).
#pragma once

#include "dispatch/host.h"
#include "dispatch/run_directories.h"

namespace drover::dispatch {

// What it borrows must outlive it.
asio::awaitable<Result<>> remove_run(const Host& host, RunDirectories& directories, RunId id);

}  // namespace drover::dispatch
