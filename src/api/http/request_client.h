// A RequestClient is the client of a request as its handler sees it: connected or gone. A handler
// that waits watches it (ClientWatch), so that the resources of a vanished client are freed at
// once. When the daemon closes, every client counts as gone.
//
// Lives on the daemon's loop, as long as its request.
#pragma once

#include <functional>
#include <utility>

namespace drover::api {

class RequestClient {
 public:
  virtual ~RequestClient() = default;
  virtual bool gone() const = 0;
  // Gone against its will: the daemon is closing, or the connection broke. It may connect again.
  virtual bool may_return() const { return false; }

 protected:
  friend class ClientWatch;
  // `left` is called at most once, from the loop; an empty function ends the watch.
  virtual void watch(std::function<void()> left) = 0;
};

// Watches the client while this object exists. `client` and everything that `left` uses must
// outlive it.
class ClientWatch {
 public:
  ClientWatch(RequestClient& client, std::function<void()> left) : client_(client) {
    client_.watch(std::move(left));
  }
  ~ClientWatch() { client_.watch({}); }
  ClientWatch(const ClientWatch&) = delete;
  ClientWatch& operator=(const ClientWatch&) = delete;

 private:
  RequestClient& client_;
};

}  // namespace drover::api
