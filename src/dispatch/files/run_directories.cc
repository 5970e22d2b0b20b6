#include "dispatch/files/run_directories.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/crash_point.h"
#include "base/fd.h"
#include "log/log.h"

namespace drover::dispatch {
namespace {

std::vector<RunId> ids_in(const std::string& place, const RunId& oldest) {
  std::vector<RunId> ids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(place, error)) {
    const auto id = RunId::parse(entry.path().stem().string());
    if (id && *id >= oldest) ids.push_back(*id);
  }
  std::ranges::sort(ids);  // A file and a directory are one run.
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

Result<> rename_if_there(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0 || errno == ENOENT) return {};
  return fail_errno("cannot move " + from, errno);
}

void complain(const RunId& id, const Result<>& result) {
  if (!result) log::warn(id, "{}", result.error().message);
}

}  // namespace

Result<> RunDirectories::remove(const Paths& paths) {
  if (auto removed = remove_tree(paths.file); !removed) return removed;
  return remove_tree(paths.directory);
}

// The file is moved first, in both directions: a run with its file in place is complete, or will
// be.
Result<> RunDirectories::move(const Paths& from, const Paths& to) {
  if (auto moved = rename_if_there(from.file, to.file); !moved) return moved;
  crash_point("delete.half_moved");
  return rename_if_there(from.directory, to.directory);
}

Result<> RunDirectories::create(const RunId& id, const process::Command& command) {
  auto written = process::write_command(run(id).file, command);
  if (!written) discard(id);
  return written;
}

void RunDirectories::discard(const RunId& id) {
  complain(id, remove(run(id)));
}

void RunDirectories::forget_environment(const RunId& id) {
  asio::post(janitor_, [file = run(id).file, id] {
    crash_point("environment.to_forget");
    complain(id, process::forget_environment(file));
    crash_point("environment.forgotten");
  });
}

Result<> RunDirectories::move_to_trash(const RunId& id) {
  auto moved = move(run(id), trashed(id));
  // Its file may have been moved, and its output not.
  if (!moved) complain(id, rename_if_there(trashed(id).file, run(id).file));
  return moved;
}

void RunDirectories::bring_back(const RunId& id) {
  complain(id, move(trashed(id), run(id)));
}

void RunDirectories::empty_trash(const RunId& id) {
  asio::post(janitor_, [paths = trashed(id), id] {
    complain(id, remove(paths));
    crash_point("delete.emptied");
  });
}

std::vector<RunId> RunDirectories::trash() const {
  return ids_in(home_.trash(), RunId());
}

std::vector<RunId> RunDirectories::all() const {
  return ids_in(home_.runs(), RunId());
}

void RunDirectories::list_since(const RunId& oldest,
                                std::function<void(std::vector<RunId>)> found) {
  asio::post(janitor_, [directory = home_.runs(), oldest, found = std::move(found)] {
    found(ids_in(directory, oldest));
  });
}

}  // namespace drover::dispatch
