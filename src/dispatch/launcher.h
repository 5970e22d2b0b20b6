// The launcher owns the cradle: it asks for keepers and hands their reports on. If the cradle dies
// it says so and starts another; the keepers of the dead one go on without it.
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

namespace drover::dispatch {

namespace asio = boost::asio;

class Launcher {
 public:
  using OnReport = std::function<void(const RunId&, const process::Report&)>;
  using OnCradleLost = std::function<void(const std::vector<RunId>&)>;

  Launcher(asio::any_io_executor loop, Home home, std::string keeper_program,
           std::uint64_t descriptors_max, std::string cgroups);
  ~Launcher();

  // `on_cradle_lost` gets the runs that cradle had been asked for and had not reported the end of.
  Result<> start(OnReport on_report, OnCradleLost on_cradle_lost);

  // The run's file is there. The report comes later, whatever happens.
  void launch(const RunId& id);

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
  std::uint64_t last_tag_ = 0;
  std::vector<RunId> waiting_;  // For a cradle that is yet to be started.
  asio::steady_timer retry_;
};

}  // namespace drover::dispatch
