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
    if (value.is_number()) {
      out += (out.empty() ? "" : " · ") + std::string(name) + " " + say_amount(name, value);
    }
    if (!value.is_object()) continue;
    const object& limit = value.get_object();
    const std::string by = text_in(limit, "by");
    const boost::json::value* amount = limit.if_contains("value");
    out += (out.empty() ? "" : " · ") + std::string(name) + " " +
           say_amount(name, amount == nullptr ? boost::json::value() : *amount);
    if (text_in(limit, "then") == "end") out += ", then the run is stopped";
    if (by == "none") out += " (not enforced here)";
    if (by == "cgroup" || by == "rlimit") out += " (" + by + ")";
  }
  return out;
}

std::string say_unenforced(const object& run) {
  std::string out;
  for (const auto& [name, value] : object_in(run, "limits")) {
    if (!value.is_object() || text_in(value.get_object(), "by") != "none") continue;
    out += (out.empty() ? "--" : ", --") + std::string(name);
  }
  return out;
}

std::string say_usage(const object& run) {
  std::string out;
  const auto add = [&](const std::string& part) { out += (out.empty() ? "" : " · ") + part; };
  if (const object& live = object_in(run, "usage"); !live.empty()) {
    if (const auto cpu = number_in(live, "cpu_ms")) add("cpu " + say_duration(*cpu));
    if (const auto memory = number_in(live, "rss_bytes")) add("memory " + say_bytes(*memory));
    if (const auto n = number_in(live, "processes")) add(say_count(*n, "process", "processes"));
    return out + say_disk(live);
  }
  if (!has_ended(run)) return "";
  const object& receipt = object_in(run, "receipt");
  const auto cpu = number_in(run, "cpu_ms").value_or(0);
  const auto memory = number_in(receipt, "memory_peak_bytes")
                          .value_or(number_in(run, "peak_rss_bytes").value_or(0));
  // A program that ran has used memory: if both are 0, nothing was measured.
  if (cpu == 0 && memory == 0) return "";
  add("cpu " + say_duration(cpu));
  const auto user = number_in(receipt, "cpu_user_ms");
  const auto system = number_in(receipt, "cpu_system_ms");
  if (user && system) {
    out += " (user " + say_duration(*user) + ", system " + say_duration(*system) + ")";
  }
  if (memory > 0) add("memory " + say_bytes(memory));
  return out + say_disk(receipt);
}

}  // namespace drover::cli
