#include "cli/views/diagnosis_view.h"

#include <fmt/format.h>

#include <sstream>

#include "cli/fields.h"
#include "cli/views/sheet.h"
#include "cli/views/table.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr size_t kIndent = 4;

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
    line = "it is idle now; it started or printed something less than a second ago";
  } else if (since) {
    line += (kind == "quiet" ? " (since " : " (") + say_local(*since) + ", " +
            say_elapsed(now - *since) + ")";
  }
  std::string out = bullet(screen, calm ? Color::none : Color::yellow, line);
  const std::string evidence = text_in(finding, "evidence");
  if (!evidence.empty()) out += indented(evidence, kIndent, screen.width(), Color::dim, screen);
  return out;
}

std::string process_table(const boost::json::array& processes, const Screen& screen) {
  Table table({"PID", "S", "NAME", "CPU", "MEMORY", "CALL"}, 5);
  table.may_cut(2, 8);
  const auto known = [](const std::optional<std::int64_t>& number, auto say) {
    return number ? say(*number) : std::string("unknown");
  };
  for (const boost::json::value& value : processes) {
    if (!value.is_object()) continue;
    const object& process = value.get_object();
    table.add({{known(number_in(process, "pid"), [](auto n) { return std::to_string(n); })},
               {text_in(process, "state")},
               {text_in(process, "name")},
               {known(number_in(process, "cpu_ms"), say_duration)},
               {known(number_in(process, "rss_bytes"), say_bytes)},
               {text_in(process, "call")}});
  }
  if (table.empty()) return "";
  std::string out;
  const size_t width = screen.width();
  std::istringstream lines(table.text(screen, width > kIndent ? width - kIndent : 1));
  for (std::string text; std::getline(lines, text);) out += std::string(kIndent, ' ') + text + "\n";
  return out;
}

}  // namespace

std::string diagnosis_lines(const object& diagnosis, const std::string& run, const Screen& screen,
                            WallMs now) {
  if (diagnosis.empty()) {
    return indented("it has no process that can be observed now", 2, screen.width(), Color::none,
                    screen);
  }
  std::string out;
  for (const boost::json::value& finding : array_in(diagnosis, "findings")) {
    if (finding.is_object()) out += finding_lines(finding.get_object(), run, screen, now);
  }
  if (out.empty()) out += "  it is not blocked\n";
  out += screen.paint(Color::dim, "  processes") + "\n" +
         process_table(array_in(diagnosis, "processes"), screen);
  if (const auto more = number_in(diagnosis, "left_out"); more.value_or(0) > 0) {
    out += screen.paint(Color::dim, fmt::format("    and {} more", *more)) + "\n";
  }
  return out;
}

}  // namespace drover::cli
