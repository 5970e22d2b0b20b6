#include "cli/plan.h"

#include <boost/json/array.hpp>

#include "base/id.h"
#include "base/number.h"
#include "cli/fields.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

Result<std::int64_t> number_of(const Arguments& arguments, const char* option) {
  const std::string text = arguments.text(option).value_or("");
  if (const auto number = whole_number(text)) return *number;
  return fail_invalid(
      option, "invalid --" + std::string(option) + " \"" + clean(text) + "\": use a whole number");
}

boost::json::array words_of(std::string_view list) {
  boost::json::array out;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    out.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(list.size(), comma + 1));
  }
  return out;
}

Result<> add_retry(object& request, const Arguments& arguments) {
  const bool details = arguments.has("backoff") || arguments.has("retry-on");
  if (!arguments.has("retry")) {
    if (!details) return {};
    return fail_invalid("retry", "--backoff and --retry-on require --retry N");
  }
  const auto max = number_of(arguments, "retry");
  if (!max) return std::unexpected(max.error());
  object retry{{"max", *max}};
  if (const auto text = arguments.text("backoff")) retry["backoff"] = *text;
  if (const auto text = arguments.text("retry-on")) retry["on"] = words_of(*text);
  request["retry"] = std::move(retry);
  return {};
}

}  // namespace

Result<> add_plan(object& request, const Arguments& arguments) {
  for (const auto& [option, field] :
       {std::pair("after", "after"), std::pair("after-any", "after_any")}) {
    const std::vector<std::string> runs = arguments.all(option);
    if (!runs.empty()) request[field] = boost::json::array(runs.begin(), runs.end());
  }
  if (arguments.has("priority")) {
    const auto priority = number_of(arguments, "priority");
    if (!priority) return std::unexpected(priority.error());
    request["priority"] = *priority;
  }
  return add_retry(request, arguments);
}

std::string say_attempt(const object& run) {
  const std::int64_t attempt = number_in(run, "attempt").value_or(1);
  const auto retries = number_in(object_in(run, "retry"), "max");
  if (!retries) return attempt > 1 ? "attempt " + std::to_string(attempt) : "";
  return std::to_string(attempt) + "/" + std::to_string(*retries + 1);
}

std::string say_wait(const object& run, WallMs now) {
  if (state_of(run) != wire::RunState::queued) return "";
  const auto& after = array_in(run, "after");
  const auto& any = array_in(run, "after_any");
  const size_t count = after.size() + any.size();
  if (flag_in(run, "held") && count > 0) {
    const boost::json::value& first = after.empty() ? any.front() : after.front();
    std::string_view id = first.is_string() ? std::string_view(first.get_string()) : "";
    id = id.substr(0, kShortId);
    if (id.starts_with(RunId::kPrefix)) id.remove_prefix(RunId::kPrefix.size());
    const std::string out = "after " + std::string(id);
    return count == 1 ? out : out + " +" + std::to_string(count - 1);
  }
  const auto not_before = parse_rfc3339(text_in(run, "not_before"));
  if (not_before && *not_before > now) return "retry in " + say_elapsed(*not_before - now + 999);
  return "lane " + text_in(run, "lane");
}

std::string say_retry(const object& run) {
  const object& retry = object_in(run, "retry");
  if (retry.empty()) return "";
  std::string on;
  for (const boost::json::value& state : array_in(retry, "on")) {
    if (state.is_string()) on += (on.empty() ? "" : ", ") + std::string(state.get_string());
  }
  return "up to " + say_count(number_in(retry, "max").value_or(0), "time", "times") +
         " · backoff " + text_in(retry, "backoff") + ", then doubled" +
         (on.empty() ? "" : " · if " + on);
}

}  // namespace drover::cli
