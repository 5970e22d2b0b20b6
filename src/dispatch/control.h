// Control passes signals, input and terminal sizes to the keeper of a running command. Lives on the
// daemon's loop.
#pragma once

#include <string>

#include "dispatch/dispatcher.h"
#include "dispatch/host.h"
#include "dispatch/launch/flights.h"
#include "dispatch/launch/keeper_line.h"

namespace drover::dispatch {

class Control {
 public:
  // Everything borrowed must outlive it.
  Control(const Host& host, Flights& flights, KeeperLine& line)
      : host_(host), flights_(flights), line_(line) {}

  asio::awaitable<Result<>> signal(RunId id, int number);
  asio::awaitable<Result<size_t>> send_input(RunId id, Input typed);
  asio::awaitable<Result<>> resize(RunId id, TerminalSize size);

 private:
  asio::awaitable<Result<>> check_running(RunId id);
  asio::awaitable<Result<int>> send(RunId id, process::ControlOp op, std::int64_t argument,
                                    std::string payload = {});

  const Host& host_;
  Flights& flights_;
  KeeperLine& line_;
};

}  // namespace drover::dispatch
