// Removal deletes the record and output of a finished run; its evidence stays (R8).
#pragma once

#include <string_view>

#include "dispatch/files/run_directories.h"
#include "dispatch/host.h"

namespace drover::dispatch {

// The reason of `unavailable` if the files of the run cannot be moved. The run stays as it was.
inline constexpr std::string_view kFilesStuck = "files_not_movable";

// Everything borrowed must outlive the call.
asio::awaitable<Result<>> remove_run(const Host& host, RunDirectories& directories, RunId id);
// The same with the record of the run, as it was read: its files are moved before this waits for
// anything.
asio::awaitable<Result<>> remove_run(const Host& host, RunDirectories& directories,
                                     run::Record record);

}  // namespace drover::dispatch
