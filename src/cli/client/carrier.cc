#include "cli/client/carrier.h"

#include <fmt/core.h>
#include <sys/socket.h>

#include <array>
#include <boost/json/parse.hpp>
#include <cerrno>
#include <charconv>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/client/address.h"
#include "cli/client/trace.h"
#include "cli/environment.h"
#include "cli/fields.h"
#include "cli/views/run_view.h"
#include "wire/errors.h"
#include "wire/operations/runs.h"

namespace drover::cli {
namespace {

using boost::json::object;

const Pairs& hold() {
  static const Pairs kHold{{"wait", format_duration(limits::kWaitMaxMs)}};
  return kHold;
}

const Pairs& hold_for_next() {
  static const Pairs kHold{{"wait", format_duration(limits::kAheadMs)}, {"ahead", "true"}};
  return kHold;
}

std::string authorization_line() {
  const std::string token = own_token();
  return token.empty() ? "" : "Authorization: Bearer " + token + "\r\n";
}

std::unexpected<Error> bad_answer() {
  return fail(ErrorCode::unavailable, "bad_answer",
              "the daemon's answer makes no sense; is another version of it running?");
}

// The number after `name` in the head of an answer, in the one spelling that our daemon uses.
std::optional<size_t> header_number(std::string_view head, std::string_view name) {
  const size_t at = head.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  size_t out = 0;
  const char* begin = head.data() + at + name.size();
  const auto [end, bad] = std::from_chars(begin, head.data() + head.size(), out);
  return bad == std::errc{} ? std::optional(out) : std::nullopt;
}

}  // namespace

void Carrier::carry(Job job) {
  job_ = std::move(job);
  began_ms_ = mono_ms();
  ask();
}

// Sends the current request, on the open connection or a new one.
void Carrier::ask() {
  if (!(fd_ ? send() : reach())) lose_connection();
}

void Carrier::withdraw_next() {
  if (!next_ || !fd_) return;
  ::shutdown(fd_.get(), SHUT_WR);
  hung_up_ = true;
}

void Carrier::carry_next(Job job) {
  next_ = std::move(job);
  if (!submit(*next_)) lose_connection();
}

Job Carrier::put_down() {
  const std::int64_t now = mono_ms();
  last_was_short_ = waits_ && now - began_ms_ < limits::kAheadMs;
  began_ms_ = now;
  run_.clear();
  Job done = std::move(*job_);
  job_ = std::exchange(next_, std::nullopt);
  return done;
}

// If the connection closes, the daemon has not started the pipelined job; see `ahead` in
// wire/operations/runs.h.
void Carrier::close() {
  fd_.close();
  text_.clear();
  if (next_) dropped_job_ = std::exchange(next_, std::nullopt);
}

void Carrier::lose_connection() {
  close();
  if (away_since_ == 0) away_since_ = mono_ms();
}

Result<> Carrier::reach() {
  Result<Fd> fd = connect_();
  if (!fd) return std::unexpected(fd.error());
  fd_ = std::move(*fd);
  hung_up_ = false;
  // A daemon that reads nothing must not block the other carriers forever.
  const timeval timeout{.tv_sec = limits::kAnswerMs / 1000, .tv_usec = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  if (!send()) lose_connection();  // The daemon is gone again.
  return {};
}

Result<> Carrier::send() {
  sent_ahead_ = last_was_short_ && run_.empty();
  if (run_.empty()) return submit(*job_);
  const Result<std::string> target = address(wire::runs::get, run_, hold());
  if (!target) return std::unexpected(target.error());
  return write_all(fd_.get(), fmt::format("GET {} HTTP/1.1\r\nHost: drover\r\n{}\r\n", *target,
                                          authorization_line()));
}

Result<> Carrier::submit(const Job& job) {
  const Result<std::string> target = address(wire::runs::create, "",
                                             sent_ahead_ ? hold_for_next()
                                             : waits_    ? hold()
                                                         : Pairs{});
  if (!target) return std::unexpected(target.error());
  const std::string trace = own_traceparent();
  std::string request = fmt::format(
      "POST {} HTTP/1.1\r\nHost: drover\r\n{}Content-Type: application/json\r\n"
      "Idempotency-Key: {}\r\nContent-Length: {}\r\n{}\r\n",
      *target, authorization_line(), job.key, job.body.size(),
      trace.empty() ? "" : "traceparent: " + trace + "\r\n");
  request += job.body;
  return write_all(fd_.get(), request);
}

// Takes a complete answer from the buffer, after reading once if necessary. False: incomplete, or
// the connection is lost.
bool Carrier::take_answer(unsigned& status, std::string& body) {
  if (cut_answer(status, body)) return true;
  std::array<char, 16 * 1024> buffer;
  const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got <= 0) {
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) lose_connection();
    return false;
  }
  text_.append(buffer.data(), static_cast<size_t>(got));
  return cut_answer(status, body);
}

bool Carrier::cut_answer(unsigned& status, std::string& body) {
  const size_t end = text_.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  const std::string_view head = std::string_view(text_).substr(0, end + 2);
  const size_t size = header_number(head, "\r\nContent-Length: ").value_or(0);
  if (text_.size() < end + 4 + size) return false;
  status = static_cast<unsigned>(header_number(head, "HTTP/1.1 ").value_or(0));
  body = text_.substr(end + 4, size);
  const bool leaves = head.find("\r\nConnection: close") != std::string_view::npos;
  text_.erase(0, end + 4 + size);
  if (leaves) close();
  away_since_ = 0;
  return true;
}

Result<std::optional<object>> Carrier::turn() {
  if (!fd_) {
    const Result<> reached = reach();
    if (reached) return std::nullopt;
    const bool may_come = reached.error().reason == "no_daemon";
    lose_connection();
    if (may_come && mono_ms() < away_since_ + limits::kComeBackMs) return std::nullopt;
    return std::unexpected(reached.error());
  }
  unsigned status = 0;
  std::string body;
  if (!take_answer(status, body)) {
    // The daemon closed because we did. Reconnect now: a second Ctrl-C must not find the connection
    // missing.
    if (!fd_ && hung_up_) ask();
    return std::nullopt;
  }
  if (status >= 400) {
    Error error = wire::read_envelope(body, status);
    if (error.reason == "stopping") {  // The next daemon will find the run by its key.
      lose_connection();
      return std::nullopt;
    }
    return std::unexpected(std::move(error));
  }
  boost::system::error_code bad;
  boost::json::value value = boost::json::parse(body, bad);
  if (bad || !value.is_object()) return bad_answer();
  object& record = value.get_object();
  // If a failed attempt is retried, a waiting caller waits for the next attempt.
  const std::string next = text_in(record, "retried_by");
  if (waits_ && (!has_ended(record) || !next.empty())) {
    run_ = next.empty() ? text_in(record, "run_id") : next;
    ask();
    return std::nullopt;
  }
  return std::optional(std::move(record));
}

}  // namespace drover::cli
