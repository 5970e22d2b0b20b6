// A DeclarationWatch calls `changed` after each change of a file that declares triggers: of
// triggers.d, and of the drover.toml of each registered project. It also does so when the watch of
// a directory begins. Therefore nothing is missed between a pass over the files and their watch,
// and a pass that reads a file just before it is deleted again is not the last one.
//
// Lives on the daemon's loop. Everything borrowed must outlive it. It does not read the files.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "triggers/files/file_watches.h"
#include "work/pool.h"

namespace drover::triggers {

class DeclarationWatch {
 public:
  DeclarationWatch(const boost::asio::any_io_executor& loop, work::Pool& workers,
                   const Clock& clock, std::function<void()> changed);

  // Watches triggers.d, which is `directory`, and these projects; no others any more.
  void watch(const std::string& directory, const std::vector<std::string>& project_roots);

 private:
  std::set<std::string> watched_;
  FileWatches watches_;
};

}  // namespace drover::triggers
