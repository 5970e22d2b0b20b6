#include "cli/resource_limits.h"

#include <fmt/format.h>

#include "base/size.h"
#include "cli/fields.h"
#include "cli/views/run_view.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

std::string say_amount(std::string_view name, const boost::json::value& amount) {
  if (!amount.is_number()) return "?";
  const auto number = amount.to_number<double>();
  if (name == "memory" || name == "output") return format_size(static_cast<std::uint64_t>(number));
  return fmt::format("{:g}", number);
}

std::string say_disk(const object& used) {
  const auto read = number_in(used, "read_bytes");
  const auto written = number_in(used, "written_bytes");
  if (!read || !written) return "";
  return " · disk read " + say_bytes(*read) + ", written " + say_bytes(*written);
}

}  // namespace

std::string say_limits(const object& run) {
  std::string out;
  for (const auto& [name, value] : object_in(run, "limits")) {
    if (!value.is_object()) continue;
    const object& limit = value.get_object();
    const std::string by = text_in(limit, "by");
    const boost::json::value* amount = limit.if_contains("value");
    out += (out.empty() ? "" : " · ") + std::string(name) + " " +
           say_amount(name, amount == nullptr ? boost::json::value() : *amount);
    if (text_in(limit, "then") == "end") out += ", then it is ended";
    if (by == "none") out += " (not held here)";
    if (by == "cgroup" || by == "rlimit") out += " (" + by + ")";
  }
  return out;
}

std::string say_unheld(const object& run) {
  std::string out;
  for (const auto& [name, value] : object_in(run, "limits")) {
    if (!value.is_object() || text_in(value.get_object(), "by") != "none") continue;
    out += (out.empty() ? "--" : ", --") + std::string(name);
  }
  return out;
}

std::string say_usage(const object& run) {
  if (const object& live = object_in(run, "usage"); !live.empty()) {
    return "cpu " + say_duration(number_in(live, "cpu_ms").value_or(0)) + " · memory " +
           say_bytes(number_in(live, "rss_bytes").value_or(0)) + " · " +
           say_count(number_in(live, "processes").value_or(0), "process", "processes") +
           say_disk(live);
  }
  if (!has_ended(run)) return "";
  const object& receipt = object_in(run, "receipt");
  std::string out = "cpu " + say_duration(number_in(run, "cpu_ms").value_or(0));
  const auto user = number_in(receipt, "cpu_user_ms");
  const auto system = number_in(receipt, "cpu_system_ms");
  if (user && system) {
    out += " (user " + say_duration(*user) + ", system " + say_duration(*system) + ")";
  }
  const auto together = number_in(receipt, "memory_peak_bytes");
  out += " · memory " + say_bytes(together.value_or(number_in(run, "peak_rss_bytes").value_or(0)));
  return out + say_disk(receipt);
}

}  // namespace drover::cli
