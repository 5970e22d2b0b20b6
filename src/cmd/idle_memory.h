// IdleMemory returns to the kernel what the daemon has freed: some seconds after its workers have
// worked, once all of them are idle. The allocator keeps memory for each thread, and what another
// thread has freed (an answer that a worker made and the loop has sent) is only usable, and
// returned, when the first thread allocates again. Without this, an idle daemon keeps 100 MB after
// a few large answers.
//
// Lives on the daemon's loop. An idle daemon has no timer.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <vector>

#include "work/pool.h"

namespace drover {

class IdleMemory {
 public:
  // The pools must outlive it. `give_back` is called on each of their workers, and on the loop.
  IdleMemory(boost::asio::any_io_executor loop, std::vector<work::Pool*> pools,
             std::function<void()> give_back = give_back_memory);
  IdleMemory(const IdleMemory&) = delete;
  IdleMemory& operator=(const IdleMemory&) = delete;

  // Returns what this thread can return.
  static void give_back_memory();

 private:
  void note_rest();
  void wait(std::chrono::milliseconds time);

  boost::asio::steady_timer timer_;
  std::vector<work::Pool*> pools_;
  std::function<void()> give_back_;
  bool waits_ = false;
};

}  // namespace drover
