// A Pool runs jobs beside the daemon's loop, on a few threads, and brings their results back to the
// loop. Work whose duration grows with its input belongs here, so that the loop only translates.
//
//   auto text = co_await pool.run({.name = caller}, [file](const Turn& turn) { return read(file);
//   });
//
// It is bounded and fair. Each caller has a line of waiting jobs; free workers take from the lines
// in turn; no caller has all workers at once. One worker, a part of the places to wait and half of
// the memory are not for tokens: they cannot keep the owner waiting. A full line refuses the job
// with `overloaded`. A job whose caller leaves is dropped if it still waits, and otherwise stopped
// (Turn::check).
//
// Lives on the loop, and must be destroyed before what its jobs use: its destructor stops and joins
// them. A job owns what it captures, because its caller's coroutine may end first.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "base/limits.h"
#include "base/result.h"
#include "work/caller.h"
#include "work/turn.h"

namespace drover::work {

namespace asio = boost::asio;

struct Bounds {
  size_t threads = limits::kWorkersMax;
  size_t waiting_max = limits::kWorkWaitingMax;
  size_t waiting_per_caller = limits::kWorkWaitingPerCaller;
  size_t bytes_max = limits::kWorkBytesMax;  // Of the jobs that need a lot (Caller::bytes).
  std::chrono::milliseconds cpu_max{limits::kWorkerTurnMs};
};

class Pool {
 public:
  Pool(asio::any_io_executor loop, Bounds bounds);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Runs `job(const Turn&)`, which returns a Result, on a worker. An exception of it is thrown
  // here.
  template <class Job>
  asio::awaitable<std::invoke_result_t<Job&, const Turn&>> run(Caller caller, Job job) {
    using Answer = std::invoke_result_t<Job&, const Turn&>;
    const auto answer = std::make_shared<std::optional<Answer>>();
    auto ran = co_await take_turn(
        std::move(caller),
        [answer, job = std::move(job)](const Turn& turn) mutable { answer->emplace(job(turn)); });
    if (!ran) co_return std::unexpected(std::move(ran.error()));
    co_return std::move(**answer);
  }

  size_t waiting() const;
  size_t running() const;

  // `rested` is called on the loop whenever the last running job is done. Set it once.
  void on_rest(std::function<void()> rested);
  // Calls `call` once on each worker, unless a job runs; jobs wait meanwhile.
  void on_each_worker(const std::function<void()>& call);

  // Tests: called on the worker before each job.
  void before_each_job(std::function<void()> hook);

 private:
  using Job = std::move_only_function<void(const Turn&)>;
  asio::awaitable<Result<>> take_turn(Caller caller, Job job);

  struct Shared;  // Used by both the workers and the loop.
  std::shared_ptr<Shared> shared_;
};

}  // namespace drover::work
