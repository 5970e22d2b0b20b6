#include "run/resource_limits_text.h"

#include <array>
#include <cmath>
#include <string_view>

namespace drover::run {
namespace {

using boost::json::object;
using boost::json::value;

object told(value amount, Enforcer by) {
  return {{"value", std::move(amount)}, {"by", name(by)}};
}

bool read_means(const object& limit, Enforcer& by) {
  const value* text = limit.if_contains("by");
  if (text == nullptr || !text->is_string()) return false;
  for (const Enforcer known :
       {Enforcer::none, Enforcer::cgroup, Enforcer::rlimit, Enforcer::priority, Enforcer::keeper}) {
    if (name(known) != std::string_view(text->get_string())) continue;
    by = known;
    return true;
  }
  return false;
}

// Reads the limit `key`, if it is set; false if it is malformed.
bool read(const object& all, const char* key, double& amount, Enforcer& by) {
  const value* limit = all.if_contains(key);
  if (limit == nullptr) return true;
  if (!limit->is_object()) return false;
  const value* number = limit->get_object().if_contains("value");
  if (number == nullptr || !number->is_number()) return false;
  amount = number->to_number<double>();
  return read_means(limit->get_object(), by);
}

}  // namespace

object describe(const ResourceLimits& limits, const LimitEnforcement& by) {
  object out;
  if (limits.memory_bytes != 0) out["memory"] = told(limits.memory_bytes, by.memory);
  if (limits.cpu_milli != 0) out["cpus"] = told(limits.cpu_milli / 1000.0, by.cpus);
  if (limits.pids != 0) out["pids"] = told(limits.pids, by.pids);
  if (limits.nice != 0) out["nice"] = told(limits.nice, by.nice);
  if (limits.output_bytes != 0) {
    object output = told(limits.output_bytes, Enforcer::keeper);
    output["then"] = limits.output_ends != 0 ? "end" : "keep";
    out["output"] = std::move(output);
  }
  return out;
}

bool read_limits(const value& text, ResourceLimits& limits, LimitEnforcement& by) {
  if (!text.is_object()) return false;
  const object& all = text.get_object();
  double memory = 0, cpus = 0, pids = 0, nice = 0, output = 0;  // All are exact in a double.
  Enforcer keeper = Enforcer::keeper;
  if (!read(all, "memory", memory, by.memory) || !read(all, "cpus", cpus, by.cpus) ||
      !read(all, "pids", pids, by.pids) || !read(all, "nice", nice, by.nice) ||
      !read(all, "output", output, keeper)) {
    return false;
  }
  limits.memory_bytes = static_cast<std::uint64_t>(memory);
  limits.cpu_milli = static_cast<std::uint32_t>(std::lround(cpus * 1000));
  limits.pids = static_cast<std::uint32_t>(pids);
  limits.nice = static_cast<std::int32_t>(nice);
  limits.output_bytes = static_cast<std::uint64_t>(output);
  if (const value* told = all.if_contains("output")) {
    const value* then = told->get_object().if_contains("then");
    limits.output_ends = then != nullptr && then->is_string() && then->get_string() == "end";
  }
  return true;
}

}  // namespace drover::run
