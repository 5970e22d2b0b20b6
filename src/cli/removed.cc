#include "cli/removed.h"

#include <boost/json/parse.hpp>

#include "base/clock.h"
#include "base/id.h"
#include "cli/fields.h"
#include "cli/views/run_view.h"
#include "cli/views/words.h"
#include "wire/errors.h"
#include "wire/operations/handles.h"

namespace drover::cli {

using boost::json::object;

namespace {

constexpr std::string_view kCancelled = "cancelled";  // As /_ref spells it.

}  // namespace

Result<object> ask_for_removed(Context& context, const std::string& run, const Error& error) {
  if (error.code != ErrorCode::not_found || !RunId::parse(run)) return std::unexpected(error);
  boost::system::error_code bad;
  boost::json::value details = boost::json::parse(error.details, bad);
  if (!bad && details.is_object()) return std::move(details.get_object());
  Result<object> status = context.client.ask(wire::handles::status, {.segment = run});
  if (!status) return std::unexpected(error);
  return status;
}

std::string say_status(const object& status) {
  std::string out = text_in(status, "status");
  if (out == kCancelled) out = "canceled";
  if (const std::string reason = text_in(status, "terminal_reason"); !reason.empty()) {
    out += " · " + reason;
  }
  return out;
}

std::string say_removed(const object& status) {
  std::string out = say_status(status);
  if (const auto at = parse_rfc3339(text_in(status, "completed_at"))) {
    out += " · " + say_local(*at, false);
  }
  return out + "; its record and output were removed";
}

int exit_code_of_removed(const object& status) {
  if (const object end = object_in(status, "end"); has_ended(end)) return exit_code_of(end);
  const std::string word = text_in(status, "status");
  if (word == "completed") return 0;
  return word == kCancelled ? wire::exit_code::kCanceled : wire::exit_code::kCouldNotRun;
}

}  // namespace drover::cli
