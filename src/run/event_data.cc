#include "run/event_data.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstring>

namespace drover::run {
namespace {

using boost::json::object;
using boost::json::value;

constexpr int kErrnoMax = 4'095;  // The kernel's highest errno.

// Reads fields; one that is missing, null or of another type counts as not set.
class Fields {
 public:
  explicit Fields(const object& data) : data_(data) {}

  std::string text(std::string_view name) const {
    const value* found = data_.if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : "";
  }
  std::optional<std::int64_t> number(std::string_view name) const {
    const value* found = data_.if_contains(name);
    if (found == nullptr || !found->is_number()) return std::nullopt;
    boost::system::error_code bad;
    const auto n = found->to_number<std::int64_t>(bad);
    return bad ? std::nullopt : std::optional(n);
  }
  std::optional<int> small_number(std::string_view name) const {
    const auto n = number(name);
    return n ? std::optional(static_cast<int>(*n)) : std::nullopt;
  }
  bool flag(std::string_view name) const {
    const value* found = data_.if_contains(name);
    return found != nullptr && found->is_bool() && found->get_bool();
  }
  WallMs time(std::string_view name) const { return parse_time(text(name), name).value_or(0); }
  std::string json(std::string_view name) const {
    const value* found = data_.if_contains(name);
    return found == nullptr || found->is_null() ? "" : boost::json::serialize(*found);
  }

 private:
  const object& data_;
};

LaunchStep launch_step_named(std::string_view text) {
  for (auto step = LaunchStep::none; step <= kLastLaunchStep;
       step = static_cast<LaunchStep>(static_cast<std::uint32_t>(step) + 1)) {
    if (name(step) == text) return step;
  }
  return LaunchStep::none;
}

int errno_named(std::string_view text) {
  if (text.empty()) return 0;
  for (int error = 1; error <= kErrnoMax; ++error) {
    const char* known = ::strerrorname_np(error);
    if (known != nullptr && text == known) return error;
  }
  return 0;
}

}  // namespace

object data_of(const Event& event) {
  boost::system::error_code bad;
  value data = boost::json::parse(event.data, bad);
  return bad || !data.is_object() ? object{} : std::move(data.get_object());
}

Record record_of(const Event& final_event) {
  const object data = data_of(final_event);
  const Fields fields(data);
  Record r;
  r.id = final_event.run_id;
  r.trace_id = final_event.trace_id;
  r.scope = final_event.scope;
  r.events = final_event.run_seq;
  const State state = state_named(fields.text("state")).value_or(State::abandoned);
  r.state = is_finished(state) ? state : State::abandoned;
  r.reason = reason_named(fields.text("reason"));
  r.origin = origin_named(fields.text("origin"));
  r.message = fields.text("message");
  r.exit_code = fields.small_number("exit_code");
  r.signal = fields.small_number("signal");
  r.failed_step = launch_step_named(fields.text("launch_step"));
  r.launch_error = errno_named(fields.text("launch_error"));
  r.kind = fields.text("kind");
  r.name = fields.text("name");
  r.queued_at = fields.time("queued_at");
  r.started_at = fields.time("started_at");
  r.finished_at = fields.time("finished_at");
  r.stdout_bytes = fields.number("stdout_bytes").value_or(0);
  r.stderr_bytes = fields.number("stderr_bytes").value_or(0);
  r.cancel_requested = fields.flag("cancel_requested");
  r.receipt = fields.json("receipt");
  r.parent_run_id = fields.text("parent_run_id");
  r.retried_by = fields.text("retried_by");
  return r;
}

}  // namespace drover::run
