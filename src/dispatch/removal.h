// Removal takes record and output of an ended run away; its evidence stays (R8).
#pragma once

#include "dispatch/folders.h"
#include "dispatch/host.h"

namespace drover::dispatch {

// What it borrows must outlive it.
asio::awaitable<Result<>> remove_run(const Host& host, Folders& folders, RunId id);

}  // namespace drover::dispatch
