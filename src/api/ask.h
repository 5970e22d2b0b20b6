// How a handler uses the threads beside the loop: `ask` reads the store
// (store/read_pool.h), `work` runs work whose duration grows with its input (work/pool.h). Both
// wait for their turn among the callers, and end when the request's client disconnects. While the
// daemon closes they continue: a request in progress gets its whole answer.
//
// A read or job owns what it captures; it may outlive the request. A job that needs much memory
// says how much (`bytes`).
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"
#include "api/share.h"
#include "store/read_pool.h"
#include "work/pool.h"

namespace drover::api {

// Requests a stop of the work for a request when the client of the request is gone. One at a time
// for each request, because a RequestClient has one watch. It does not look during the first
// second: nearly every answer is there by then, and a client that has closed only its sending side
// gets it.
class StopOnDisconnect {
 public:
  StopOnDisconnect(const Services& services, const Request& request)
      : share_(share_for(request.grant)),
        state_(std::make_shared<State>(services, request.client)) {
    state_->timer.async_wait([state = state_](const boost::system::error_code& canceled) {
      if (!canceled && !state->over) state->look();
    });
  }
  ~StopOnDisconnect() {
    state_->over = true;
    state_->watch.reset();
    state_->timer.cancel();
  }
  StopOnDisconnect(const StopOnDisconnect&) = delete;
  StopOnDisconnect& operator=(const StopOnDisconnect&) = delete;

  // On whose behalf the work is done, and the token that stops it.
  work::Caller caller() const {
    work::Caller caller = share_;
    caller.stop = state_->left.get_token();
    return caller;
  }

 private:
  struct State {  // Shared with the timer's handler.
    State(const Services& services, RequestClient& watched)
        : client(watched), timer(services.loop, std::chrono::seconds(1)) {}

    void look() {
      if (client.gone() && !client.may_return()) {
        left.request_stop();
      } else if (!client.gone()) {
        watch.emplace(client, [this] { look(); });
      }
    }

    RequestClient& client;
    asio::steady_timer timer;
    std::stop_source left;
    std::optional<ClientWatch> watch;
    bool over = false;
  };

  const work::Caller share_;
  const std::shared_ptr<State> state_;
};

template <class Read>
asio::awaitable<std::invoke_result_t<Read&, store::Reads&>> ask(Services& services,
                                                                const Request& request, Read read) {
  const StopOnDisconnect stopper(services, request);
  co_return co_await services.reads.ask(stopper.caller(), std::move(read));
}

template <class Job>
asio::awaitable<std::invoke_result_t<Job&, const work::Turn&>> work(Services& services,
                                                                    const Request& request, Job job,
                                                                    size_t bytes = 0) {
  const StopOnDisconnect stopper(services, request);
  work::Caller caller = stopper.caller();
  caller.bytes = bytes;
  co_return co_await services.workers.run(std::move(caller), std::move(job));
}

}  // namespace drover::api
