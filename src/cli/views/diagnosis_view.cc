#include "cli/views/diagnosis_view.h"

#include <fmt/format.h>

#include "cli/fields.h"
#include "cli/resource_limits.h"
#include "cli/views/table.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

std::string put(std::string text, std::string_view word, const std::string& value) {
  const size_t at = text.find(word);
  return at == std::string::npos ? text : text.replace(at, word.size(), value);
}

std::string finding_lines(const object& finding, const std::string& run, const Screen& screen,
                          WallMs now) {
  const std::string kind = text_in(finding, "kind");
  const bool calm = kind == "busy" || kind == "sleeping" || kind == "quiet";
  std::string line = put(clean(text_in(finding, "text")), " RUN", " " + run);
  const auto since = parse_rfc3339(text_in(finding, "since"));
  if (since && kind == "quiet" && now - *since < 1'000) {
    line = "it uses no CPU at this moment; it printed, or began, less than a second ago";
  } else if (since) {
    line += " (" + say_local(*since) + ", " + say_elapsed(now - *since) + ")";
  }
  std::string out =
      "  " + screen.paint(calm ? Color::none : Color::yellow, "·") + " " + line + "\n";
  const std::string evidence = clean(text_in(finding, "evidence"));
  if (!evidence.empty()) out += screen.paint(Color::dim, "    " + evidence) + "\n";
  return out;
}

std::string process_line(const object& process) {
  return fmt::format(
      "    {:>7} {} {:<16} cpu {:<7} memory {:<8} {}", number_in(process, "pid").value_or(0),
      clean(text_in(process, "state")), clean(text_in(process, "name")),
      say_duration(number_in(process, "cpu_ms").value_or(0)),
      say_bytes(number_in(process, "rss_bytes").value_or(0)), clean(text_in(process, "call")));
}

}  // namespace

std::string diagnosis_lines(const object& diagnosis, const std::string& run, const Screen& screen,
                            WallMs now) {
  if (diagnosis.empty()) return "  nothing can be seen of it just now: it is starting, or ending\n";
  std::string out;
  for (const boost::json::value& finding : array_in(diagnosis, "findings")) {
    if (finding.is_object()) out += finding_lines(finding.get_object(), run, screen, now);
  }
  if (out.empty()) out += "  nothing holds it up\n";
  out += screen.paint(Color::dim, "  processes") + "\n";
  for (const boost::json::value& process : array_in(diagnosis, "processes")) {
    if (!process.is_object()) continue;
    std::string line = process_line(process.get_object());
    line.erase(line.find_last_not_of(' ') + 1);
    out += screen.paint(Color::dim, line) + "\n";
  }
  if (const auto more = number_in(diagnosis, "left_out"); more.value_or(0) > 0) {
    out += screen.paint(Color::dim, fmt::format("    and {} more", *more)) + "\n";
  }
  return out;
}

}  // namespace drover::cli
