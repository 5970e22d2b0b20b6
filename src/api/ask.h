// How a handler uses the threads beside the loop: `ask` reads the store
// (store/read_pool.h), `work` runs work whose duration grows with its input (work/pool.h). Both
// wait for their turn among the callers, and end when the request's client disconnects. While the
// daemon closes they continue: a request in progress gets its whole answer.
//
// A read or job owns what it captures. A job that needs much memory says how much (`bytes`).
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

// Says when the client is gone. One at a time for each request (api/http/caller.h). It does not
// look during the first second: nearly every answer is there by then, and a client that has closed
// only its sending side gets it.
class ClientWatch {
 public:
  ClientWatch(const Services& services, const Request& request)
      : share_(share_for(request.grant)),
        state_(std::make_shared<State>(services, request.caller)) {
    state_->timer.async_wait([state = state_](const boost::system::error_code& canceled) {
      if (!canceled && !state->over) state->look();
    });
  }
  ~ClientWatch() {
    state_->over = true;
    state_->watch.reset();
    state_->timer.cancel();
  }
  ClientWatch(const ClientWatch&) = delete;
  ClientWatch& operator=(const ClientWatch&) = delete;

  work::Caller caller() const {
    work::Caller caller = share_;
    caller.stop = state_->left.get_token();
    return caller;
  }

 private:
  struct State {  // Shared with the timer's handler.
    State(const Services& services, Caller& client)
        : caller(client), timer(services.loop, std::chrono::seconds(1)) {}

    void look() {
      if (caller.gone() && !caller.may_return()) {
        left.request_stop();
      } else if (!caller.gone()) {
        watch.emplace(caller, [this] { look(); });
      }
    }

    Caller& caller;
    asio::steady_timer timer;
    std::stop_source left;
    std::optional<Watch> watch;
    bool over = false;
  };

  const work::Caller share_;
  const std::shared_ptr<State> state_;
};

template <class Read>
asio::awaitable<std::invoke_result_t<Read&, store::Reads&>> ask(Services& services,
                                                                const Request& request, Read read) {
  const ClientWatch client(services, request);
  co_return co_await services.reads.ask(client.caller(), std::move(read));
}

template <class Job>
asio::awaitable<std::invoke_result_t<Job&, const work::Turn&>> work(Services& services,
                                                                    const Request& request, Job job,
                                                                    size_t bytes = 0) {
  const ClientWatch client(services, request);
  work::Caller caller = client.caller();
  caller.bytes = bytes;
  co_return co_await services.workers.run(std::move(caller), std::move(job));
}

// Retention keeps the run until its reader has asked for the next page.
inline void remember_reader(const Services& services, const RunId& run,
                            const Result<Response>& page) {
  const bool returns = page && page->has_more;
  if (returns && services.page_readers != nullptr) services.page_readers->remember(run);
}

}  // namespace drover::api
