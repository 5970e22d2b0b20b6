// The KeeperLauncher owns the cradle: it requests keepers and passes on their reports. If the
// cradle dies, starts no keepers, or its socket contains a packet that no keeper writes, the
// KeeperLauncher reports that and starts another; the keepers of the first one keep running.
//
// Lives on the daemon's loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/home.h"
#include "base/id.h"
#include "process/cradle.h"
#include "process/tree.h"

namespace drover::dispatch {

namespace asio = boost::asio;

class KeeperLauncher {
 public:
  using OnReport = std::function<void(const RunId&, const process::Report&)>;
  using OnUncertain = std::function<void(const std::vector<RunId>&)>;

  KeeperLauncher(asio::any_io_executor loop, Home home, std::string keeper_program,
                 std::uint64_t descriptors_max, std::string cgroups);
  ~KeeperLauncher();

  // `on_uncertain` receives the runs of a cradle that was lost, or whose socket was written into by
  // another process, as far as their end was not reported.
  Result<> start(OnReport on_report, OnUncertain on_uncertain);

  // The run's file must exist. A report always follows, also of a failure.
  void launch(const RunId& id);

  // The pids of the cradles: of the current one, and of dead ones that may have left keepers. Each
  // is also the number of the process session of its keepers.
  const std::vector<std::int32_t>& cradles() const { return cradles_; }
  // Drops dead cradles that have no keeper left in `keepers`: their numbers may be reused.
  void forget_cradles_without(const std::vector<process::Member>& keepers);

 private:
  struct Line;  // One cradle and the two sockets to it.
  Result<> start_cradle();
  void restart();
  void watch_cradle(std::shared_ptr<Line> line);
  void read_reports(std::shared_ptr<Line> line);
  void write_requests(std::shared_ptr<Line> line);
  std::optional<RunId> unclaimed(Line& line) const;
  void watch_requests(const std::shared_ptr<Line>& line, int warnings = 0);
  void take_reports(const std::shared_ptr<Line>& line);
  void lost(const std::shared_ptr<Line>& line);
  void distrust(const std::shared_ptr<Line>& line);
  void replace(const std::shared_ptr<Line>& line);

  asio::any_io_executor loop_;
  Home home_;
  std::string program_;
  std::uint64_t descriptors_max_;
  std::string cgroups_;
  OnReport on_report_;
  OnUncertain on_uncertain_;
  std::shared_ptr<Line> line_;
  std::vector<std::int32_t> cradles_;
  std::vector<RunId> waiting_;  // Until a cradle is started.
  asio::steady_timer retry_;
};

}  // namespace drover::dispatch
