#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <stdexcept>

#include "api/core_routes.h"
#include "api/door_fixture.h"
#include "api/inbox/routes.h"
#include "api/play/routes.h"
#include "api/triggers/routes.h"
#include "base/text.h"
#include "run/redact.h"
#include "store/store_contract.h"

namespace drover::api {

using dispatch::CancelOutcome;

std::vector<RouteGroup> all_routes() {
  return routes_with(std::array{play_routes(), inbox_routes(), triggers_routes()});
}

std::vector<const wire::Operation*> all_operations() {
  std::vector<const wire::Operation*> out;
  for (const RouteGroup& group : all_routes()) {
    out.insert(out.end(), group.area->operations.begin(), group.area->operations.end());
  }
  return out;
}

std::vector<const wire::Area*> all_areas() {
  std::vector<const wire::Area*> out;
  for (const RouteGroup& group : all_routes()) out.push_back(group.area);
  return out;
}

namespace {

// As dispatch/queue/submissions.cc.
store::Work all_of(store::Work first, run::Fact fact) {
  return [first = std::move(first),
          fact = std::move(fact)](store::Transaction& transaction) -> Result<> {
    if (auto ok = first(transaction); !ok) return ok;
    const auto written = transaction.record(fact);
    return written ? Result<>{} : std::unexpected(written.error());
  };
}

}  // namespace

Result<store::Written> PuppetDispatcher::record(store::Write write) {
  auto written = store::write_to(store_, std::move(write));
  if (written) {
    tally.see(*written);
    bell_.ring(written->events);
  }
  return written;
}

asio::awaitable<Result<store::Written>> PuppetDispatcher::submit(dispatch::Submission submission) {
  if (throws) throw std::runtime_error("a bug");
  run::Record record;
  record.id = ids_.next();
  record.trace_id =
      submission.spec.trace_id.empty() ? record.id.trace_id() : submission.spec.trace_id;
  record.kind = submission.spec.kind;
  record.scope = submission.spec.scope;
  record.name = submission.spec.name;
  record.lane = submission.spec.lane;
  record.labels = submission.spec.labels;
  // The record contains the redacted text, as with the real dispatcher (run::first_record).
  record.command = run::redact_command(submission.spec.command(), {});
  record.cwd = bounded(submission.spec.cwd, limits::kPathBytesMax);
  record.phase = submission.spec.phase;
  record.parent_run_id = submission.spec.parent_run_id;
  record.queued_at = clock_.wall_ms();
  last = std::move(submission);
  (void)make_private_directory(home_.run_directory(record.id));
  const run::Fact fact = run::Submitted{record, last.spec.key, last.digest};
  auto written = this->record(last.first ? store::Write(all_of(last.first, fact)) : fact);
  if (!written && after_refusal) std::exchange(after_refusal, {})();
  co_return written;
}

asio::awaitable<Result<CancelOutcome>> PuppetDispatcher::cancel(
    RunId id, std::optional<std::int64_t> grace_ms) {
  if (refuses_cancel) co_return CancelOutcome::not_cancellable;
  last_grace_ms = grace_ms;
  canceled.push_back(id);
  auto written = record(run::CancelRequested{id});
  if (!written) co_return std::unexpected(written.error());
  const bool ended = run::is_finished(written->record.state);
  if (!ended) {
    co_return written->effect == run::Effect::none ? CancelOutcome::cancel_repeated
                                                   : CancelOutcome::cancel_requested;
  }
  co_return written->effect == run::Effect::none ? CancelOutcome::already_finished
                                                 : CancelOutcome::canceled;
}

asio::awaitable<Result<store::Written>> PuppetDispatcher::note(store::Write write) {
  if (before_note) std::exchange(before_note, {})();
  co_return record(std::move(write));
}

asio::awaitable<Result<>> PuppetDispatcher::remove(RunId id) {
  auto written = record(run::Deleted{id});
  if (!written) co_return std::unexpected(written.error());
  co_return Result<>{};
}

asio::awaitable<Result<>> PuppetDispatcher::signal(RunId, int number) {
  last_signal = number;
  co_return Result<>{};
}

asio::awaitable<Result<>> PuppetDispatcher::check_ready() {
  co_return not_ready ? Result<>(std::unexpected(*not_ready)) : Result<>();
}

asio::awaitable<Result<std::chrono::milliseconds>> PuppetDispatcher::probe() {
  if (not_ready) co_return std::unexpected(*not_ready);
  co_return std::chrono::milliseconds(12);
}

asio::awaitable<Result<dispatch::ProgressOutcome>> PuppetDispatcher::say_progress(
    RunId id, run::SaidProgress said) {
  const auto written = record(run::Fact(run::Progressed{.id = id, .what = std::move(said)}));
  if (!written) co_return std::unexpected(written.error());
  co_return dispatch::ProgressOutcome::recorded;
}

asio::awaitable<Result<>> PuppetDispatcher::resize(RunId, TerminalSize size) {
  last_size = size;
  co_return Result<>{};
}

asio::awaitable<Result<size_t>> PuppetDispatcher::send_input(RunId id, dispatch::Input typed) {
  auto known = store_.find(id);
  if ((*known)->state != run::State::running) {
    co_return fail(ErrorCode::conflict, "not_running", "it does not run", "run_id");
  }
  input += typed.bytes;
  input_ended = typed.eof;
  last_size = typed.at.value_or(last_size);
  co_return typed.bytes.size();
}

asio::awaitable<Result<store::Written>> PuppetDispatcher::retry(dispatch::RetryRequest request) {
  last_retry = request;
  const auto old = store_.find(request.id).value();
  if (!old) co_return fail(ErrorCode::not_found, "not_found", "there is no such run", "run_id");
  run::Record next = run::next_attempt(*old, ids_.next(), clock_.wall_ms());
  next.held = false;
  const run::Fact fact = run::Submitted{next, request.key, request.digest, request.id};
  co_return record(request.first ? store::Write(all_of(request.first, fact)) : fact);
}

asio::awaitable<Result<store::Lane>> PuppetLanes::set(store::LaneSet wish) {
  auto written = record_(wish);
  if (!written) co_return std::unexpected(written.error());
  for (store::Lane& lane : store_.lanes().value()) {
    if (lane.name == wish.name) co_return std::move(lane);
  }
  co_return store::Lane{};
}

asio::awaitable<Result<>> PuppetLanes::remove(std::string lane) {
  auto written = record_(store::LaneRemoved{lane});
  if (!written) co_return std::unexpected(written.error());
  co_return Result<>{};
}

asio::awaitable<Result<run::Record>> PuppetLanes::move(run::Moved wish) {
  auto written = record_(run::Fact(std::move(wish)));
  if (!written) co_return std::unexpected(written.error());
  co_return written->record;
}

std::string HttpAnswer::error(const char* field) const {
  boost::system::error_code bad;
  const auto value = boost::json::parse(body, bad);
  if (bad || !value.is_object() || !value.get_object().contains("error")) return {};
  const auto* found = value.at("error").as_object().if_contains(field);
  return found == nullptr ? "" : std::string(found->as_string());
}

Client::Client(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(path, address.sun_path);
  if (::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect to " + path);
  }
  set_receive_timeout();
}

Client::Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect to port " + std::to_string(port));
  }
  set_receive_timeout();
}

bool Client::has_answer() const {
  pollfd now{.fd = fd_.get(), .events = POLLIN, .revents = 0};
  return ::poll(&now, 1, 0) > 0;
}

void Client::set_receive_timeout() {
  const timeval limit{20, 0};  // A test that waits longer fails.
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

void Client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return;  // Refused while sending: the answer says why.
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void Client::ask(std::string_view method, std::string_view target, std::string_view body,
                 std::string_view headers, std::string_view version) {
  std::string text;
  text.append(method).append(" ").append(target).append(" HTTP/").append(version);
  text.append("\r\nHost: drover\r\n").append(headers);
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  if (!body.empty() && headers.find("Content-Type") == std::string_view::npos) {
    text += "Content-Type: application/json\r\n";
  }
  send(text.append("\r\n").append(body));
}

bool Client::fill() {
  char chunk[16 * 1024];
  const ssize_t n = ::recv(fd_.get(), chunk, sizeof chunk, 0);
  if (n > 0) buffer_.append(chunk, static_cast<size_t>(n));
  return n > 0;
}

std::string Client::read_until(std::string_view text) {
  size_t at = 0;
  while ((at = buffer_.find(text)) == std::string::npos) {
    if (!fill()) return {};
  }
  std::string out = buffer_.substr(0, at + text.size());
  buffer_.erase(0, out.size());
  return out;
}

std::string Client::read_to_end() {
  while (fill()) {
  }
  return std::exchange(buffer_, {});
}

bool Client::closed() {
  char byte = 0;
  return buffer_.empty() && ::recv(fd_.get(), &byte, 1, 0) == 0;
}

HttpAnswer Client::answer(bool to_head) {
  HttpAnswer answer;
  const std::string head = read_until("\r\n\r\n");
  if (head.empty()) return answer;
  answer.status = static_cast<unsigned>(std::stoul(head.substr(9, 3)));
  for (size_t at = head.find("\r\n") + 2; at + 2 < head.size();) {
    const size_t end = head.find("\r\n", at);
    const size_t colon = head.find(": ", at);
    std::string name = head.substr(at, colon - at);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    answer.headers[name] = head.substr(colon + 2, end - colon - 2);
    at = end + 2;
  }
  if (to_head) return answer;
  if (answer.headers.contains("content-length")) {
    const size_t size = std::stoul(answer.headers["content-length"]);
    while (buffer_.size() < size && fill()) {
    }
    answer.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
  } else if (answer.headers.contains("transfer-encoding")) {
    while (true) {
      const std::string line = read_until("\r\n");
      const size_t size = line.empty() ? 0 : std::stoul(line, nullptr, 16);
      while (buffer_.size() < size + 2 && fill()) {
      }
      answer.body += buffer_.substr(0, size);
      buffer_.erase(0, size + 2);
      if (size == 0) break;
    }
  }
  return answer;
}

const run::Kinds& play_kinds() {
  static const std::array<std::span<const run::Kind>, 1> kRooms{play::kKinds};
  static const run::Kinds all(kRooms);
  return all;
}

Door::Door(work::Bounds bounds)
    : home_{directory_.file("config"), directory_.file("state"), directory_.file("run")},
      dispatcher_(store_, bell_, clock_, home_),
      workers_(loop_.get_executor(), bounds),
      gate_(access::Keys(std::string(kOwnerToken)), loop_.get_executor(), reads_, bell_, clock_,
            [this](store::Write write) -> asio::awaitable<Result<store::Written>> {
              co_return dispatcher_.record(std::move(write));
            }) {
  (void)home_.create();
  bell_.read_with(reads_);
  for (int i = 0; i < 2; ++i) dispatcher_.recovered.count(dispatch::Remedy::adopt);
  const spine::Recorder record = [this](store::Write write) {
    return dispatcher_.note(std::move(write));
  };
  plays_.emplace(reads_, dispatcher_, record, clock_);
  followers_.emplace(loop_.get_executor(), reads_, bell_, record);
  output_watch_.emplace(loop_.get_executor());
  exact_readers_.emplace(loop_.get_executor(), home_, reads_);
  inbox_.emplace(clock_, reads_, workers_, record, home_, [](const inbox::Entry&) {});
  Rooms rooms;
  rooms.add(*plays_);
  rooms.add(*inbox_);
  firing_.emplace(reads_, dispatcher_, record, home_, environment_, "/opt/drover/bin");
  hook_triggers_.emplace(clock_, reads_, record, *firing_, environment_);
  const auto changed = [this](const triggers::StoredTrigger* now, const std::string& name) {
    if (now == nullptr) return hook_triggers_->remove(name);
    hook_triggers_->set(*now);
  };
  triggers_.emplace(clock_, reads_, record, home_, *firing_, decided_events_, changed);
  declared_triggers_.emplace(triggers::DeclaredTriggers::Parts{.loop = loop_.get_executor(),
                                                               .workers = workers_,
                                                               .clock = clock_,
                                                               .reads = reads_,
                                                               .bell = bell_,
                                                               .record = record,
                                                               .home = home_,
                                                               .decided = decided_events_,
                                                               .changed = changed});
  rooms.add(*hook_triggers_);
  rooms.add(*triggers_);
  rooms.add(*declared_triggers_);
  server_.emplace(Services{.loop = loop_.get_executor(),
                           .dispatcher = dispatcher_,
                           .store = store_,
                           .reads = reads_,
                           .workers = workers_,
                           .bell = bell_,
                           .clock = clock_,
                           .kinds = play_kinds(),
                           .gate = gate_,
                           .rooms = rooms,
                           .home = home_,
                           .output_watch = *output_watch_,
                           .exact_readers = *exact_readers_,
                           .routes = all_routes(),
                           .record = record,
                           .followers = &*followers_,
                           .environment = &environment_,
                           .programs = "/opt/drover/bin",
                           .user_directory = "/home/ann",
                           .started_at = clock_.wall_ms(),
                           .stop = [this](bool kill) { stopped_ = kill; },
                           .tally = &dispatcher_.tally,
                           .recovered = &dispatcher_.recovered});
  if (auto ok = server_->listen(home_.socket()); !ok) throw std::runtime_error(ok.error().message);
  work_.emplace(loop_.get_executor());
  thread_ = std::thread([this] { loop_.run(); });
}

Door::~Door() {
  std::promise<void> done;
  asio::post(loop_, [&] { server_->close([&] { done.set_value(); }); });
  done.get_future().wait();
  work_.reset();
  loop_.stop();
  thread_.join();
}

HttpAnswer Door::ask(std::string_view method, std::string_view target, std::string_view body,
                     std::string_view headers) {
  Client one = client();
  one.ask(method, target, body, headers);
  return one.answer(method == "HEAD");
}

std::string Door::submit(std::string_view body) {
  const HttpAnswer answer = ask("POST", "/api/runs", body);
  EXPECT_EQ(answer.status, 202U) << answer.body;
  return std::string(answer.json().at("run_id").as_string());
}

void Door::start(const std::string& id) {
  on_loop([&] { EXPECT_TRUE(dispatcher_.record(run::Started{*RunId::parse(id), 1})); });
}

void Door::finish(const std::string& id, int code) {
  on_loop([&] {
    run::Ended ended;
    ended.id = *RunId::parse(id);
    ended.ending = run::Exited{code};
    ended.started_at = clock_.wall_ms();
    ended.finished_at = clock_.wall_ms();
    EXPECT_TRUE(dispatcher_.record(ended));
  });
}

void Door::begin_follower() {
  follow::Follower follower{.name = "stopping",
                            .filter = {.run = {}, .scope = {}, .about = "refused"},
                            .on = [](const run::Event&) -> store::Work {
                              return [](store::Transaction&) -> Result<> {
                                return fail(ErrorCode::conflict, "refused",
                                            "this event is refused");
                              };
                            }};
  on_loop([&] {
    asio::co_spawn(loop_, followers_->begin({std::move(follower)}),
                   [](std::exception_ptr, Result<>) {});
    EXPECT_TRUE(dispatcher_.record(store::Work([](store::Transaction& transaction) {
      return transaction.append({.subject = "refused/1", .type = "refused.begun"});
    })));
  });
  wait_for_stopped_follower();
}

void Door::wait_for_stopped_follower() {
  eventually([this] {
    const auto all = followers_->list();
    return !all.empty() && all.front().stopped_at != 0;
  });
}

void Door::print(const std::string& id, Stream stream, std::string_view bytes) {
  auto& printer = printers_[id];
  if (!printer) {
    Fd directory(::open(home_.run_directory(*RunId::parse(id)).c_str(), O_RDONLY | O_DIRECTORY));
    printer = std::make_unique<Printer>(
        Printer{std::move(directory), OutputWriter(0, limits::kOutputBytesMax)});
    printer->writer = OutputWriter(printer->directory.get(), limits::kOutputBytesMax);
  }
  printer->writer.append(stream, bytes, clock_.wall_ms());
}

void Door::expect_error(const HttpAnswer& answer, unsigned status, std::string_view code,
                        std::string_view param) {
  EXPECT_EQ(answer.status, status) << answer.body;
  EXPECT_EQ(answer.error("code"), code) << answer.body;
  EXPECT_EQ(answer.error("param"), param) << answer.body;
  EXPECT_FALSE(answer.error("message").empty()) << answer.body;
  EXPECT_FALSE(answer.error("type").empty()) << answer.body;
  const auto id = answer.headers.find("x-request-id");
  ASSERT_NE(id, answer.headers.end());
  EXPECT_EQ(answer.error("request_id"), id->second);
}

}  // namespace drover::api
