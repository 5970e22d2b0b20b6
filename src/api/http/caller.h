// A Caller is the client of a request as its handler sees it: connected or gone. A handler that
// waits watches it, so that the resources of a vanished client are freed at once. When the daemon
// closes, every caller counts as gone.
//
// Lives on the daemon's loop, as long as its request.
#pragma once

#include <functional>
#include <utility>

namespace drover::api {

class Caller {
 public:
  virtual ~Caller() = default;
  virtual bool gone() const = 0;
  // Gone against its will: the daemon is closing, or the connection broke. It may connect again.
  virtual bool may_return() const { return false; }

 protected:
  friend class Watch;
  // `left` is called at most once, from the loop; an empty function ends the watch.
  virtual void watch(std::function<void()> left) = 0;
};

// Watches the caller while this object exists. `caller` and everything that `left` uses must
// outlive it.
class Watch {
 public:
  Watch(Caller& caller, std::function<void()> left) : caller_(caller) {
    caller_.watch(std::move(left));
  }
  ~Watch() { caller_.watch({}); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  Caller& caller_;
};

}  // namespace drover::api
