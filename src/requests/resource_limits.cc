#include "requests/resource_limits.h"

#include <charconv>
#include <cmath>

#include "base/limits.h"
#include "base/size.h"

namespace drover::requests {
namespace {

namespace json = boost::json;

std::string field(std::string_view name) {
  return "limits." + std::string(name);
}

std::optional<double> number_of(const json::value& value) {
  if (value.is_number()) return value.to_number<double>();
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = value.get_string();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Internally, 0 means "none". In a request, 0 is a mistake and is refused.
void read_size(Fields& fields, std::string_view name, const json::value& value,
               std::uint64_t& out) {
  if (value.is_int64() || value.is_uint64()) {
    out = value.is_uint64()
              ? value.get_uint64()
              : static_cast<std::uint64_t>(std::max<std::int64_t>(0, value.get_int64()));
  } else {
    auto size =
        parse_size(value.is_string() ? std::string_view(value.get_string()) : "", field(name));
    if (!size) return fields.refuse(size.error().param, size.error().message);
    out = *size;
  }
  if (out == 0) fields.refuse(field(name), field(name) + " must be greater than 0");
}

void read_number(Fields& fields, std::string_view name, const json::value& value, double least,
                 double most, double step, double& out) {
  const auto number = number_of(value);
  const bool fits = number && std::isfinite(*number) && *number >= least && *number <= most &&
                    (step == 0 || *number == std::round(*number));
  if (fits) {
    out = *number;
    return;
  }
  char text[128];
  std::snprintf(text, sizeof text, "limits.%.*s must be a %snumber from %g to %.0f",
                static_cast<int>(name.size()), name.data(), step == 0 ? "" : "whole ", least, most);
  fields.refuse(field(name), text);
}

}  // namespace

void read_limits(Fields& fields, ResourceLimits& limits) {
  const json::value* given = fields.take("limits");
  if (given == nullptr || given->is_null()) return;
  if (!given->is_object()) return fields.refuse("limits", "limits must be an object");
  for (const json::key_value_pair& pair : given->get_object()) {
    const std::string_view name = pair.key();
    const json::value& value = pair.value();
    double number = 0;
    if (name == "memory") {
      read_size(fields, name, value, limits.memory_bytes);
    } else if (name == "output") {
      read_size(fields, name, value, limits.output_bytes);
    } else if (name == "cpus") {
      read_number(fields, name, value, limits::kCpuMilliMin / 1000.0, limits::kCpuMilliMax / 1000.0,
                  0, number);
      limits.cpu_milli = static_cast<std::uint32_t>(std::lround(number * 1000));
    } else if (name == "pids") {
      read_number(fields, name, value, 1, limits::kPidsMax, 1, number);
      limits.pids = static_cast<std::uint32_t>(number);
    } else if (name == "nice") {
      read_number(fields, name, value, limits::kNiceMin, limits::kNiceMax, 1, number);
      limits.nice = static_cast<std::int32_t>(number);
    } else if (name == "on_output") {
      const std::string_view word = value.is_string() ? std::string_view(value.get_string()) : "";
      if (word != "keep" && word != "end") {
        return fields.refuse(field(name), "limits.on_output must be keep or end");
      }
      limits.output_ends = word == "end" ? 1 : 0;
    } else {
      return fields.refuse(
          field(name),
          "unknown limit; the limits are memory, cpus, pids, nice, output and on_output");
    }
  }
}

}  // namespace drover::requests
