#include "triggers/poll/fetcher.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>
#include <list>
#include <map>
#include <string>
#include <utility>

#include "triggers/poll/curl_loop.h"

namespace drover::triggers {

struct Fetcher::State {
  asio::any_io_executor loop;
  FetchLimits limits;
  AddressRule rule;
  std::shared_ptr<CurlLoop> curl;
  bool is_closed = false;
  std::list<Turn*> waiting = {};
  std::list<Turn*> running = {};
  std::map<std::string, size_t> running_by_host = {};

  void start_waiting();
};

// The place of one fetch in the queue, then among the running ones. Leaves it when it is destroyed.
class Fetcher::Turn {
 public:
  Turn(State& state, std::string host)
      : state_(state),
        host_(std::move(host)),
        wake_(state.loop, asio::steady_timer::time_point::max()) {
    state_.waiting.push_back(this);
    state_.start_waiting();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    state_.waiting.remove(this);
    if (!is_running_) return;
    state_.running.remove(this);
    const auto count = state_.running_by_host.find(host_);
    if (--count->second == 0) state_.running_by_host.erase(count);
    state_.start_waiting();
  }

  bool start_if_allowed() {
    const auto count = state_.running_by_host.find(host_);
    if (count != state_.running_by_host.end() && count->second >= state_.limits.per_host_max) {
      return false;
    }
    ++state_.running_by_host[host_];
    state_.running.push_back(this);
    is_running_ = true;
    wake_.cancel();
    return true;
  }
  bool is_running() const { return is_running_; }

  void wake() { wake_.cancel(); }
  // Until `wake`, or until the caller is canceled.
  asio::awaitable<void> sleep() {
    boost::system::error_code ignored;
    co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }

 private:
  State& state_;
  std::string host_;
  bool is_running_ = false;
  asio::steady_timer wake_;
};

void Fetcher::State::start_waiting() {
  for (auto turn = waiting.begin(); turn != waiting.end() && running.size() < limits.at_once_max;) {
    turn = (*turn)->start_if_allowed() ? waiting.erase(turn) : std::next(turn);
  }
}

Result<std::unique_ptr<Fetcher>> Fetcher::open(asio::any_io_executor loop, FetchLimits limits,
                                               AddressRule rule) {
  auto curl = CurlLoop::open(loop);
  if (!curl) return std::unexpected(curl.error());
  auto state = std::make_shared<State>(std::move(loop), limits, std::move(rule), std::move(*curl));
  return std::unique_ptr<Fetcher>(new Fetcher(std::move(state)));
}

Fetcher::Fetcher(std::shared_ptr<State> state) : state_(std::move(state)) {}

Fetcher::~Fetcher() {
  state_->is_closed = true;
  for (Turn* turn : state_->waiting) turn->wake();
  for (Turn* turn : state_->running) turn->wake();
}

asio::awaitable<Result<Fetched>> Fetcher::get(FetchRequest request) {
  return get(state_, std::move(request));
}

asio::awaitable<Result<Fetched>> Fetcher::get(std::shared_ptr<State> state, FetchRequest request) {
  const auto canceled = [] {
    return fail(ErrorCode::unavailable, "canceled", "the fetch was canceled");
  };
  const auto url = parse_fetch_url(request.url, true);  // Its address is judged by the rule.
  if (!url) co_return std::unexpected(url.error());
  if (state->is_closed) co_return canceled();
  if (state->waiting.size() >= state->limits.waiting_max) {
    co_return fail(ErrorCode::exhausted, "too_many_fetches",
                   std::to_string(state->limits.waiting_max) + " fetches wait already");
  }
  Turn turn(*state, url->host);
  if (!turn.is_running()) co_await turn.sleep();
  // The turn may have come together with the cancellation: waiting again would throw.
  const auto cancellation = (co_await asio::this_coro::cancellation_state).cancelled();
  if (!turn.is_running() || state->is_closed || cancellation != asio::cancellation_type::none) {
    co_return canceled();
  }

  Transfer transfer(*url, request, state->limits, state->rule);
  const auto handle = transfer.handle();
  if (!handle) co_return std::unexpected(handle.error());
  std::optional<CURLcode> finished;
  const auto added = state->curl->add(*handle, [&](CURLcode code) {
    finished = code;
    turn.wake();
  });
  if (!added) co_return std::unexpected(added.error());
  // Also if this coroutine is destroyed while it waits.
  const auto remove = [&](CURL* added_handle) { state->curl->remove(added_handle); };
  const std::unique_ptr<CURL, decltype(remove)> guard(*handle, remove);
  co_await turn.sleep();
  if (!finished) co_return canceled();
  co_return transfer.finish(*finished);
}

namespace {

std::optional<std::int64_t> detail(const Error& error, std::string_view name) {
  if (error.reason != "http_status") return {};
  boost::system::error_code bad;
  const boost::json::value details = boost::json::parse(error.details, bad);
  if (bad || !details.is_object()) return {};
  const boost::json::value* found = details.get_object().if_contains(name);
  if (found == nullptr || !found->is_int64()) return {};
  return found->get_int64();
}

}  // namespace

std::optional<int> status_of(const Error& error) {
  const auto status = detail(error, "status");
  return status ? std::optional(static_cast<int>(*status)) : std::nullopt;
}

std::optional<std::int64_t> retry_after_ms_of(const Error& error) {
  return detail(error, "retry_after_ms");
}

}  // namespace drover::triggers
