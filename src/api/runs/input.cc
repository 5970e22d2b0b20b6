#include "api/runs/input.h"

#include <boost/json/serialize.hpp>
#include <charconv>
#include <csignal>
#include <cstring>
#include "api/runs/find.h"

#include "api/http/target.h"
#include "api/runs/terminal.h"
#include "base/text.h"
#include "requests/fields.h"
#include "run/kind.h"

namespace drover::api {
namespace {

Result<int> read_signal(std::string_view body) {
  std::optional<int> number;
  requests::Fields fields(body);
  const boost::json::value* value = fields.take("signal");
  if (value != nullptr && value->is_string()) number = signal_named(value->get_string());
  if (value != nullptr && value->is_int64()) {
    number = signal_named(std::to_string(value->get_int64()));
  }
  if (!number) {
    const std::string given = value == nullptr     ? ""
                              : value->is_string() ? std::string(value->get_string())
                                                   : boost::json::serialize(*value);
    fields.refuse("signal", "unknown signal \"" + bounded(given, 32) +
                                "\": use a name such as TERM or a number");
  }
  if (auto ok = fields.finish(); !ok) return std::unexpected(ok.error());
  return *number;
}

// A composite has no process: its kind says which child gets the signal.
Result<RunId> signal_target(const run::Kinds& kinds, const run::Record& record) {
  const run::Kind* kind = kinds.find(record.kind);
  const bool directs = kind != nullptr && kind->signal_target != nullptr;
  if (!directs || run::is_finished(record.state)) return record.id;
  return kind->signal_target(record);
}

}  // namespace

std::optional<int> signal_named(std::string_view text) {
  int number = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (bad == std::errc{} && end == text.data() + text.size()) {
    return number >= 1 && number <= SIGRTMAX ? std::optional(number) : std::nullopt;
  }
  if (text.starts_with("SIG")) text.remove_prefix(3);
  for (int i = 1; i < NSIG; ++i) {
    const char* known = ::sigabbrev_np(i);
    if (known != nullptr && text == known) return i;
  }
  return std::nullopt;
}

asio::awaitable<Result<Response>> send_input(Services& services, Request& request) {
  auto eof = flag_in(request.query, "eof");
  if (!eof) co_return std::unexpected(eof.error());
  auto at = size_in(request.query);
  if (!at) co_return std::unexpected(at.error());
  if (request.body.size() > limits::kInputBytesMax) {
    co_return fail(ErrorCode::exhausted, "input_too_large",
                   "too much input for one request: the maximum is " +
                       std::to_string(limits::kInputBytesMax) +
                       " bytes; send the rest with another request",
                   "body");
  }
  auto record = co_await find_run(services, request);
  if (!record) co_return std::unexpected(record.error());
  const RunId id = record->id;
  auto sent = co_await services.dispatcher.send_input(
      id, {.bytes = std::move(request.body), .eof = *eof, .at = *at});
  if (!sent) co_return std::unexpected(sent.error());
  co_return answer_json(200, {{"run_id", id.view()}, {"accepted", *sent}});
}

asio::awaitable<Result<Response>> send_signal(Services& services, Request& request) {
  auto number = read_signal(request.body);
  if (!number) co_return std::unexpected(number.error());
  auto record = co_await find_run(services, request);
  if (!record) co_return std::unexpected(record.error());
  const auto target = signal_target(services.kinds, *record);
  if (!target) co_return std::unexpected(target.error());
  auto sent = co_await services.dispatcher.signal(*target, *number);
  if (!sent) co_return std::unexpected(sent.error());
  co_return answer_json(200, {{"run_id", target->view()}, {"signal", *number}});
}

}  // namespace drover::api
