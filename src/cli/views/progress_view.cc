#include "cli/views/progress_view.h"

#include "cli/fields.h"
#include "cli/views/columns.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

void add(std::string& out, std::string_view part, std::string_view between) {
  if (part.empty()) return;
  if (!out.empty()) out += between;
  out += part;
}

std::string percent_of(const object& progress) {
  const auto percent = number_in(progress, "percent");
  return percent ? std::to_string(*percent) + "%" : "";
}

std::string steps_of(const object& progress) {
  const auto done = number_in(progress, "done");
  const auto total = number_in(progress, "total");
  const auto say = [](std::int64_t n) { return say_number(static_cast<std::uint64_t>(n)); };
  if (!done) return "";
  return total ? say(*done) + " of " + say(*total) : say(*done) + " done";
}

}  // namespace

std::string say_progress(const object& progress) {
  std::string out = percent_of(progress);
  add(out, steps_of(progress), " · ");
  add(out, clean(text_in(progress, "text")), " · ");
  return out;
}

std::string short_progress(const object& progress) {
  std::string out = percent_of(progress);
  if (out.empty()) out = steps_of(progress);
  add(out, clean(text_in(progress, "text")), " ");
  return out;
}

std::string progress_line(const object& progress, WallMs now) {
  std::string out = say_progress(progress);
  const auto at = parse_rfc3339(text_in(progress, "at"));
  if (!out.empty() && at) out += " (" + say_distance(*at, now) + ")";
  return out;
}

std::string say_growth(const object& growth) {
  const auto bytes = number_in(growth, "bytes");
  if (!bytes) return "";
  std::string out = say_bytes(*bytes);
  if (const auto lines = number_in(growth, "lines")) {
    out += " · " + say_count(*lines, "line", "lines");
  }
  return out;
}

}  // namespace drover::cli
