// The Launcher owns the cradle: it requests keepers and passes on their reports. If the cradle
// dies, the Launcher reports that and starts another; the keepers of the dead cradle keep running.
//
// Lives on the daemon's loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/home.h"
#include "base/id.h"
#include "process/cradle.h"
#include "process/tree.h"

namespace drover::dispatch {

namespace asio = boost::asio;

class Launcher {
 public:
  using OnReport = std::function<void(const RunId&, const process::Report&)>;
  using OnCradleLost = std::function<void(const std::vector<RunId>&)>;

  Launcher(asio::any_io_executor loop, Home home, std::string keeper_program,
           std::uint64_t descriptors_max, std::string cgroups);
  ~Launcher();

  // `on_cradle_lost` receives the runs that this cradle was asked for and whose end it had not
  // reported.
  Result<> start(OnReport on_report, OnCradleLost on_cradle_lost);

  // The run's file must exist. A report always follows, also of a failure.
  void launch(const RunId& id);

  // The pids of the cradles: of the current one, and of dead ones that may have left keepers. Each
  // is also the number of the session of its keepers.
  const std::vector<std::int32_t>& cradles() const { return cradles_; }
  // Forgets the dead ones of whose session none of these is a member: their numbers may be reused.
  void forget_cradles_without(const std::vector<process::Member>& keepers);

 private:
  struct Line;  // One cradle and the two pipes to it.
  Result<> start_cradle();
  void restart();
  void watch_cradle(std::shared_ptr<Line> line);
  void read_reports(std::shared_ptr<Line> line);
  void write_requests(std::shared_ptr<Line> line);
  void lost(const std::shared_ptr<Line>& line);

  asio::any_io_executor loop_;
  Home home_;
  std::string program_;
  std::uint64_t descriptors_max_;
  std::string cgroups_;
  OnReport on_report_;
  OnCradleLost on_cradle_lost_;
  std::shared_ptr<Line> line_;
  std::vector<std::int32_t> cradles_;
  std::uint64_t last_tag_ = 0;
  std::vector<RunId> waiting_;  // Until a cradle is started.
  asio::steady_timer retry_;
};

}  // namespace drover::dispatch
