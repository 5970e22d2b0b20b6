#include "dispatch/launch/flights.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace drover::dispatch {

Flights::Flights(asio::any_io_executor loop, KeeperLauncher& launcher, const Clock& clock)
    : launcher_(launcher), clock_(clock), removed_(std::move(loop)) {}

void Flights::begin(const run::Record& record) {
  if (record.state != run::State::starting || contains(record.id)) return;
  track(record).launched = clock_.mono_ns();
  launcher_.launch(record.id);
}

Flight& Flights::track(const run::Record& record) {
  Flight& flight = flights_[record.id];
  flight.program = record.command.empty() ? "" : record.command.front();
  flight.cwd = record.cwd;
  flight.kind = record.kind;
  flight.parent_run_id = record.parent_run_id;
  flight.grace_ms = record.grace_ms;
  flight.has_slot = run::holds_slot(record.state);
  flight.attempt = record.attempt;
  flight.retries_left = std::max(0, record.retry.max - record.attempt + 1);
  return flight;
}

Flight* Flights::find(const RunId& id) {
  const auto flight = flights_.find(id);
  return flight == flights_.end() ? nullptr : &flight->second;
}

bool Flights::are_all_kept_to_the_end() const {
  return std::ranges::all_of(flights_, [](const auto& one) { return one.second.kept_to_the_end; });
}

std::vector<RunId> Flights::ids() const {
  std::vector<RunId> ids;
  for (const auto& [id, flight] : flights_) ids.push_back(id);
  return ids;
}

std::optional<Flight> Flights::remove(const RunId& id) {
  removed_.cancel();
  auto flight = flights_.extract(id);
  if (!flight) return std::nullopt;
  return std::move(flight.mapped());
}

asio::awaitable<void> Flights::wait_for_removal(std::chrono::milliseconds at_most) {
  removed_.expires_after(at_most);
  boost::system::error_code woken;
  co_await removed_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
}

}  // namespace drover::dispatch
