#include "dispatch/folders.h"

#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/crash_point.h"
#include "base/fd.h"
#include "log/log.h"

namespace drover::dispatch {
namespace {

std::vector<RunId> ids_in(const std::string& folder, const RunId& oldest) {
  std::vector<RunId> ids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto id = RunId::parse(entry.path().filename().string());
    if (id && *id >= oldest) ids.push_back(*id);
  }
  return ids;
}

void complain(const RunId& id, const Result<>& result) {
  if (!result) log::warn("{}: {}", id.view(), result.error().message);
}

}  // namespace

Result<> Folders::create(const RunId& id, const process::Command& command) {
  auto written = process::write_command(home_.run_folder(id), command);
  if (!written) complain(id, remove_tree(home_.run_folder(id)));
  return written;
}

void Folders::discard(const RunId& id) {
  complain(id, remove_tree(home_.run_folder(id)));
}

void Folders::forget_environment(const RunId& id) {
  asio::post(janitor_, [folder = home_.run_folder(id), id] {
    crash_point("environment.to_forget");
    complain(id, process::forget_environment(folder));
    crash_point("environment.forgotten");
  });
}

Result<> Folders::move_to_trash(const RunId& id) {
  if (::rename(home_.run_folder(id).c_str(), trash_of(id).c_str()) != 0 && errno != ENOENT) {
    return fail_errno("cannot remove the folder of " + id.str(), errno);
  }
  return {};
}

void Folders::bring_back(const RunId& id) {
  if (::rename(trash_of(id).c_str(), home_.run_folder(id).c_str()) != 0 && errno != ENOENT) {
    log::warn("{}: its folder stays in the trash: errno {}", id.view(), errno);
  }
}

void Folders::empty_trash(const RunId& id) {
  asio::post(janitor_, [path = trash_of(id), id] {
    complain(id, remove_tree(path));
    crash_point("delete.emptied");
  });
}

std::vector<RunId> Folders::trash() const {
  return ids_in(home_.trash(), RunId());
}

void Folders::list_since(const RunId& oldest, std::function<void(std::vector<RunId>)> found) {
  asio::post(janitor_, [folder = home_.runs(), oldest, found = std::move(found)] {
    found(ids_in(folder, oldest));
  });
}

}  // namespace drover::dispatch
