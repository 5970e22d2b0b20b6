// The fixture of the API tests: the real server on a unix socket in a directory of its own, a
// store, and a dispatcher that starts no process and finishes runs when the test says so. The loop
// runs on its own thread; the test is the client, and calls the loop's objects with `on_loop`.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "access/token.h"
#include "api/http/server.h"
#include "base/output_file.h"
#include "follow/cursor.h"
#include "inbox/inbox.h"
#include "inbox/tables.h"
#include "play/kinds.h"
#include "play/known_projects.h"
#include "play/plays.h"
#include "requests/environment.h"
#include "testing/directory.h"
#include "testing/store.h"
#include "triggers/declared/declared_triggers.h"
#include "triggers/hooks/hook_triggers.h"
#include "triggers/tables.h"
#include "triggers/triggers.h"

namespace drover::api {

// Lanes that never change, over a real store.
class PuppetLanes final : public dispatch::LaneControl {
 public:
  using Record = std::function<Result<store::Written>(store::Write)>;
  PuppetLanes(store::Store& store, Record record) : store_(store), record_(std::move(record)) {}

  asio::awaitable<Result<store::Lane>> set(store::LaneSet wish) override;
  asio::awaitable<Result<>> remove(std::string lane) override;
  asio::awaitable<Result<run::Record>> move(run::Moved wish) override;
  std::optional<size_t> ahead_of(const run::Record&) const override { return 2; }
  size_t active() const override { return 3; }
  size_t queued() const override { return 2; }
  std::vector<dispatch::LaneNumbers> numbers() const override {
    return {{"default", 256, false, 3, 1}, {"a \"lane\"", 1, true, 0, 1}};
  }

 private:
  store::Store& store_;
  Record record_;
};

// The kinds of a daemon with the room play.
const run::Kinds& play_kinds();

// Records runs as the real dispatcher does, but a run finishes only when the test says how.
class PuppetDispatcher final : public dispatch::Dispatcher {
 public:
  PuppetDispatcher(store::Store& store, bus::Bell& bell, const Clock& clock, Home home)
      : store_(store), bell_(bell), clock_(clock), ids_(clock), home_(std::move(home)) {}

  Result<store::Written> record(store::Write write);

  asio::awaitable<Result<store::Written>> submit(dispatch::Submission submission) override;
  asio::awaitable<Result<dispatch::CancelOutcome>> cancel(
      RunId id, std::optional<std::int64_t> grace_ms) override;
  // Records like a spine.
  asio::awaitable<Result<store::Written>> note(store::Write write);
  asio::awaitable<Result<>> remove(RunId id) override;
  asio::awaitable<Result<store::Written>> retry(dispatch::RetryRequest request) override;
  asio::awaitable<Result<>> signal(RunId id, int number) override;
  asio::awaitable<Result<size_t>> send_input(RunId id, dispatch::Input typed) override;
  asio::awaitable<Result<>> resize(RunId id, TerminalSize size) override;
  asio::awaitable<Result<dispatch::ProgressOutcome>> say_progress(RunId id,
                                                                  run::SaidProgress said) override;
  asio::awaitable<Result<>> check_ready() override;
  asio::awaitable<Result<std::chrono::milliseconds>> probe() override;
  dispatch::LaneControl& lanes() override { return lanes_; }

  dispatch::Submission last;  // The last submission.
  dispatch::RetryRequest last_retry;
  std::optional<std::int64_t> last_grace_ms;
  std::vector<RunId> canceled;  // In order.
  std::string input;
  bool input_ended = false;
  int last_signal = 0;
  TerminalSize last_size;
  bool refuses_cancel = false;
  bool throws = false;
  std::optional<Error> not_ready;       // Set: no run can start and end.
  std::function<void()> before_note;    // Called before the next note; once.
  std::function<void()> after_refusal;  // Called after the next refused submission; once.
  spine::Tally tally;
  dispatch::RecoveryCounts recovered;

 private:
  store::Store& store_;
  bus::Bell& bell_;
  const Clock& clock_;
  IdMaker ids_;
  Home home_;
  PuppetLanes lanes_{store_, [this](store::Write write) { return record(std::move(write)); }};
};

// A complete answer, as the client received it.
struct HttpAnswer {
  unsigned status = 0;
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;

  boost::json::value json() const { return boost::json::parse(body); }
  std::string error(const char* field) const;  // A field of the envelope; empty if absent.
};

// A JSON value compares only with another value.
inline boost::json::value text(std::string_view text) {
  return boost::json::string(text);
}

// A blocking client with one connection.
class Client {
 public:
  explicit Client(const std::string& path);
  explicit Client(std::uint16_t port);  // On loopback, over TCP.

  void send(std::string_view bytes);
  // Sends a whole request; `headers` are lines that end in \r\n.
  void ask(std::string_view method, std::string_view target, std::string_view body = {},
           std::string_view headers = {}, std::string_view version = "1.1");
  HttpAnswer answer(bool to_head = false);
  // Reads until `text` has arrived, and returns everything so far. Empty if the server closed
  // first.
  std::string read_until(std::string_view text);
  std::string read_to_end();
  bool has_answer() const;                        // Whether bytes are here, or the end.
  bool closed();                                  // Waits until the server has closed.
  void end() { ::shutdown(fd_.get(), SHUT_WR); }  // No further request will follow.
  void hang_up() { fd_.close(); }

 private:
  bool fill();
  void set_receive_timeout();
  Fd fd_;
  std::string buffer_;
};

inline constexpr std::string_view kOwnerToken = "dro_owner_of_this_test";

// The routes of the core and of every room.
std::vector<RouteGroup> all_routes();
std::vector<const wire::Area*> all_areas();
std::vector<const wire::Operation*> all_operations();

class Door : public ::testing::Test {
 protected:
  explicit Door(work::Bounds bounds = {});
  ~Door() override;

  template <class F>
  auto on_loop(F f) {
    std::packaged_task<decltype(f())()> task(std::move(f));
    auto done = task.get_future();
    asio::post(loop_, [&] { task(); });
    return done.get();
  }
  // Runs the loop's other work until `f` returns true. Only for conditions that must become true
  // soon.
  template <class F>
  void eventually(F f) {
    while (!on_loop(f)) std::this_thread::yield();
  }

  Client client() { return Client(home_.socket()); }
  HttpAnswer ask(std::string_view method, std::string_view target, std::string_view body = {},
                 std::string_view headers = {});
  // Submits `true` and returns its id.
  std::string submit(std::string_view body = R"({"command":["true"]})");
  void start(const std::string& id);
  void finish(const std::string& id, int code = 0);
  // Starts the follower `stopping`, which stops at every event about `refused`, and sends it one.
  void begin_follower();
  void wait_for_stopped_follower();
  void print(const std::string& id, Stream stream, std::string_view bytes);
  void expect_error(const HttpAnswer& answer, unsigned status, std::string_view code,
                    std::string_view param);

  testing::TestDirectory directory_;
  SystemClock clock_;
  Home home_;
  testing::TestStore store_{clock_,
                            {.kinds = &play_kinds(),
                             .rooms = {access::kTokenTables, play::kTables, follow::kTables,
                                       inbox::kTables, triggers::kTables}}};
  bus::Bell bell_{store_, 0};
  PuppetDispatcher dispatcher_;
  asio::io_context loop_{1};
  store::ReadPool reads_{loop_.get_executor(), store_};
  work::Pool workers_;
  access::Gate gate_;
  std::optional<play::Plays> plays_;
  std::optional<inbox::Inbox> inbox_;
  requests::DaemonEnvironment environment_{{"HOME=/home/ann", "PATH=/bin"}};
  // The room of triggers, without its timetable: nothing fires by itself.
  triggers::DecidedEvents decided_events_;
  std::optional<triggers::Firing> firing_;
  std::optional<triggers::HookTriggers> hook_triggers_;
  std::optional<triggers::Triggers> triggers_;
  std::optional<triggers::DeclaredTriggers> declared_triggers_;
  std::optional<follow::Followers> followers_;
  std::optional<queries::OutputWatch> output_watch_;
  std::optional<queries::ExactReaders> exact_readers_;
  std::optional<Server> server_;
  std::optional<bool> stopped_;  // Set by POST /api/stop: whether with kill.

 private:
  struct Printer {
    Fd directory;
    OutputWriter writer;
  };
  std::map<std::string, std::unique_ptr<Printer>> printers_;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work_;
  std::thread thread_;
};

}  // namespace drover::api
