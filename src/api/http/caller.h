// The caller is whoever stands at the other end of a connection, as far as a handler may know:
// still there, or gone. A handler that waits asks to be told, so that a client which vanishes
// frees everything at once. A closing daemon looks the same: stop waiting.
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

 protected:
  friend class Watch;
  // `left` is called at most once, from the loop; an empty one ends the watch.
  virtual void watch(std::function<void()> left) = 0;
};

// Watches while it exists. `caller` and what `left` touches must outlive it.
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
