#include "work/pool.h"

#include <algorithm>
#include <barrier>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <list>
#include <new>
#include <thread>
#include <vector>

namespace drover::work {
namespace {

constexpr size_t kKeptBytes = 1'024;

std::unexpected<Error> overloaded(size_t waiting) {
  return fail(ErrorCode::unavailable, "overloaded",
              std::to_string(waiting) + " requests wait already; try again in a moment");
}

std::unexpected<Error> canceled() {
  return fail(ErrorCode::unavailable, "canceled", "the client is gone, or the daemon stops");
}

}  // namespace

struct Pool::Shared : std::enable_shared_from_this<Shared> {
  using Done = std::move_only_function<void(std::exception_ptr, Result<>)>;
  struct Task {
    Job job;
    Done done;
    std::string caller;
    bool is_token = false;
    size_t bytes = 0;
    std::stop_source stop = {};  // Ends it: its caller left, or the pool closes.
    std::exception_ptr thrown = {};
    // The loop has work to do as long as the task is not done.
    std::optional<asio::executor_work_guard<asio::any_io_executor>> pending = {};
    // Of the caller's token; the caller may outlive the task.
    std::optional<std::stop_callback<std::function<void()>>> left = {};
  };
  using TaskPtr = std::shared_ptr<Task>;
  struct Line {
    std::string caller;
    bool is_token = false;
    std::list<TaskPtr> waiting;
    size_t running = 0;
  };
  // The use of the pool: by all callers, or by tokens.
  struct Use {
    size_t waiting = 0;
    size_t running = 0;
    size_t bytes = 0;
  };

  Shared(asio::any_io_executor executor, const Bounds& wanted)
      : loop(std::move(executor)), bounds(wanted), threads(wanted.threads) {}

  asio::any_io_executor loop;
  const Bounds bounds;
  asio::thread_pool threads;
  std::function<void()> hook;
  std::function<void()> rested;

  // The rest belongs to the loop.
  std::list<Line> lines;  // The caller that was served last is last.
  std::list<TaskPtr> running;
  Use all, of_tokens;
  bool closed = false;

  // How many of these workers one caller may have; others get the rest.
  static size_t most_of_one(size_t workers) { return std::max<size_t>(1, workers - 1); }
  size_t workers_for_tokens() const { return most_of_one(bounds.threads); }
  size_t places_for_tokens() const {
    const size_t reserved = std::min(bounds.waiting_per_caller, bounds.waiting_max / 2);
    return bounds.waiting_max - reserved;
  }

  // Changes what is in use, for a task.
  template <class Change>
  void count(const Task& task, Change change) {
    change(all);
    if (task.is_token) change(of_tokens);
  }

  Line& line_of(const Task& task) {
    const auto known = std::ranges::find(lines, task.caller, &Line::caller);
    if (known != lines.end()) return *known;
    lines.push_front({.caller = task.caller, .is_token = task.is_token, .waiting = {}});
    return lines.front();
  }

  void add(TaskPtr task, std::stop_token caller_stop) {
    Line& line = line_of(*task);
    const bool full = all.waiting >= bounds.waiting_max ||
                      (task->is_token && of_tokens.waiting >= places_for_tokens()) ||
                      line.waiting.size() >= bounds.waiting_per_caller;
    if (closed || full || caller_stop.stop_requested()) {
      auto why = full ? overloaded(all.waiting) : canceled();
      drop_if_idle(line);
      return finish_later(std::move(task), std::move(why.error()));
    }
    line.waiting.push_back(task);
    count(*task, [](Use& use) { ++use.waiting; });
    task->left.emplace(std::move(caller_stop), [this, weak = std::weak_ptr(task)] {
      if (const TaskPtr left = weak.lock()) leave(left);
    });
    start_some();
  }

  // Its caller is gone. Called on the loop.
  void leave(const TaskPtr& task) {
    task->stop.request_stop();
    Line& line = line_of(*task);
    const auto mine = std::ranges::find(line.waiting, task);
    if (mine == line.waiting.end()) return drop_if_idle(line);
    line.waiting.erase(mine);
    count(*task, [](Use& use) { --use.waiting; });
    drop_if_idle(line);
    finish_later(task, canceled().error());
  }

  void drop_if_idle(const Line& line) {
    if (!line.waiting.empty() || line.running > 0) return;
    lines.remove_if([&](const Line& other) { return &other == &line; });
  }

  void finish_later(TaskPtr task, Error why) {
    asio::post(loop, [task = std::move(task), why = std::move(why)]() mutable {
      task->left.reset();
      task->done({}, std::unexpected(std::move(why)));
    });
  }

  bool may_start(const Line& line) const {
    if (line.waiting.empty()) return false;
    const size_t workers = line.is_token ? workers_for_tokens() : bounds.threads;
    if (line.running >= most_of_one(workers)) return false;
    if (line.is_token && of_tokens.running >= workers) return false;
    const size_t bytes = line.waiting.front()->bytes;
    return bytes == 0 || (fits(all, bytes, bounds.bytes_max) &&
                          (!line.is_token || fits(of_tokens, bytes, bounds.bytes_max / 2)));
  }
  // A job that is too large for any bound runs alone.
  static bool fits(const Use& use, size_t bytes, size_t bytes_max) {
    return use.bytes == 0 || use.bytes + bytes <= bytes_max;
  }

  void start_some() {
    while (running.size() < bounds.threads) {
      const auto next =
          std::ranges::find_if(lines, [&](const Line& line) { return may_start(line); });
      if (next == lines.end()) return;
      TaskPtr task = std::move(next->waiting.front());
      next->waiting.pop_front();
      ++next->running;
      count(*task, [&](Use& use) {
        --use.waiting;
        ++use.running;
        use.bytes += task->bytes;
      });
      lines.splice(lines.end(), lines, next);
      running.push_back(task);
      asio::post(threads, [self = shared_from_this(), task] { self->carry_out(task); });
    }
  }

  // On a worker.
  void carry_out(const TaskPtr& task) {
    try {
      if (hook) hook();
      task->job(Turn(task->stop.get_token(), bounds.cpu_max));
    } catch (...) {
      task->thrown = std::current_exception();
    }
    report(task);
  }

  // Its caller must learn of it, even if there is no memory right now.
  void report(const TaskPtr& task) {
    while (true) {
      try {
        return asio::post(loop, [self = shared_from_this(), task] { self->finish(task); });
      } catch (const std::bad_alloc&) {
        std::this_thread::yield();
      }
    }
  }

  void finish(const TaskPtr& task) {
    running.remove(task);
    count(*task, [&](Use& use) {
      --use.running;
      use.bytes -= task->bytes;
    });
    Line& line = line_of(*task);
    --line.running;
    drop_if_idle(line);
    task->left.reset();
    start_some();
    task->done(task->thrown, {});
    if (running.empty() && rested) rested();
  }

  // Idle workers take one each: each waits until all have one.
  void post_to_each(const std::function<void()>& call) {
    const auto all_there =
        std::make_shared<std::barrier<>>(static_cast<std::ptrdiff_t>(bounds.threads));
    for (size_t i = 0; i < bounds.threads; ++i) {
      asio::post(threads, [all_there, call] {
        all_there->arrive_and_wait();
        call();
      });
    }
  }
};

Pool::Pool(asio::any_io_executor loop, Bounds bounds)
    : shared_(std::make_shared<Shared>(std::move(loop), bounds)) {
  // Each thread allocates something now, and keeps it: so its allocator keeps address space, and
  // the thread can still report a job for which there was no memory.
  shared_->post_to_each([] { thread_local const std::vector<char> kept(kKeptBytes); });
}

Pool::~Pool() {
  shared_->closed = true;
  for (const auto& task : shared_->running) task->stop.request_stop();
  shared_->threads.join();
  shared_->lines.clear();
  shared_->running.clear();
}

asio::awaitable<Result<>> Pool::take_turn(Caller caller, Job job) {
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&,
                                          void(std::exception_ptr, Result<>)>(
      [this](auto handler, Caller of, Job what) {
        auto task = std::make_shared<Shared::Task>();
        task->job = std::move(what);
        task->done = std::move(handler);
        task->caller = std::move(of.name);
        task->is_token = of.is_token;
        task->bytes = of.bytes;
        task->pending.emplace(shared_->loop);
        shared_->add(std::move(task), std::move(of.stop));
      },
      asio::use_awaitable, std::move(caller), std::move(job));
}

size_t Pool::waiting() const {
  return shared_->all.waiting;
}

size_t Pool::running() const {
  return shared_->running.size();
}

void Pool::on_rest(std::function<void()> rested) {
  shared_->rested = std::move(rested);
}

void Pool::on_each_worker(const std::function<void()>& call) {
  if (shared_->running.empty()) shared_->post_to_each(call);
}

void Pool::before_each_job(std::function<void()> hook) {
  shared_->hook = std::move(hook);
}

}  // namespace drover::work
