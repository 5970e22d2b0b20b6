#include "dispatch/files/run_directories.h"

#include <sys/stat.h>
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

RunDirectories::~RunDirectories() {
  asio::post(janitor_, [this] {
    closing_ = true;
    again_.cancel();
  });
  janitor_.join();
}

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
  if (first_ == 0) (void)are_exchanged();
  auto written = process::write_command(run(id).file, command);
  if (!written) discard(id);
  return written;
}

void RunDirectories::discard(const RunId& id) {
  complain(id, remove(run(id)));
}

void RunDirectories::forget_environment(const RunId& id) {
  asio::post(janitor_, [this, id] {
    crash_point("environment.to_forget");
    const auto forgotten = process::forget_environment(run(id).file);
    complain(id, forgotten);
    crash_point("environment.forgotten");
    if (forgotten) return;
    not_forgotten_.push_back(id);
    if (not_forgotten_.size() == 1) forget_later();
  });
}

bool RunDirectories::are_exchanged() {
  struct stat now{};
  if (::stat(home_.runs().c_str(), &now) != 0) return are_exchanged_ = true;
  if (first_ == 0) first_ = now.st_ino;
  are_exchanged_ = are_exchanged_ || now.st_ino != first_;
  return are_exchanged_;
}

void RunDirectories::forget_later() {
  if (closing_) return;  // The next daemon does it (leftovers.h).
  again_.expires_after(forget_again_);
  again_.async_wait([this](const boost::system::error_code& canceled) {
    if (!canceled) forget_rest();
  });
}

void RunDirectories::forget_rest() {
  std::erase_if(not_forgotten_, [this](const RunId& id) {
    return process::forget_environment(run(id).file).has_value();
  });
  if (!not_forgotten_.empty()) forget_later();
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
