#include "cli/commands/inbox/inbox_view.h"

#include "cli/fields.h"
#include "cli/views/columns.h"
#include "cli/views/sheet.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr size_t kIndent = 4;
constexpr size_t kContextLines = 6;  // In a list; `inbox show` prints all of them.

std::string age_of(const object& entry, std::string_view field, WallMs now) {
  const auto at = parse_rfc3339(text_in(entry, field));
  return at ? say_distance(*at, now) : "";
}

std::string state_line(const object& entry, WallMs now) {
  const std::string state = text_in(entry, "state");
  if (state == "open") {
    return "asked " + age_of(entry, "asked_at", now) +
           (text_in(entry, "deadline").empty() ? ""
                                               : " · expires " + age_of(entry, "deadline", now));
  }
  std::string out = state + " " + age_of(entry, "closed_at", now);
  const object& answer = object_in(entry, "answer");
  for (const char* part : {"choice", "text"}) {
    if (const std::string text = text_in(answer, part); !text.empty()) out += " · " + clean(text);
  }
  return out;
}

std::string choices_of(const object& entry) {
  std::string out;
  for (const boost::json::value& choice : array_in(entry, "choices")) {
    if (choice.is_string()) {
      out += (out.empty() ? "" : " · ") + clean(std::string_view(choice.get_string()));
    }
  }
  return out;
}

// The first lines of the context, each cleaned.
std::string context_lines(const object& entry, const Screen& screen, size_t lines_max) {
  const std::string text = text_in(entry, "context");
  std::string out;
  size_t lines = 0;
  for (std::string_view rest = text; !rest.empty(); ++lines) {
    if (lines == lines_max) {
      out += indented("…", kIndent, screen.width(), Color::dim, screen);
      break;
    }
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    out += indented(clean(line), kIndent, screen.width(), Color::dim, screen);
  }
  return out;
}

std::string origin_of(const object& entry) {
  const std::string app = text_in(entry, "app");
  return (app.empty() ? "" : app + " · ") + text_in(entry, "run_id");
}

std::string question_block(const object& entry, const Screen& screen, WallMs now, size_t number,
                           size_t lines_max) {
  const std::string mark = number == 0 ? "" : std::to_string(number);
  std::string head =
      indented(clean(text_in(entry, "question")), kIndent, screen.width(), Color::bold, screen);
  if (mark.size() < kIndent) head.replace(0, mark.size(), mark);
  std::string out = head + context_lines(entry, screen, lines_max);
  if (const std::string choices = choices_of(entry); !choices.empty()) {
    out += indented(choices, kIndent, screen.width(), Color::none, screen);
  }
  out += indented(text_in(entry, "id") + " · " + state_line(entry, now), kIndent, screen.width(),
                  Color::dim, screen);
  return out + indented(origin_of(entry), kIndent, screen.width(), Color::dim, screen);
}

std::string report_block(const object& entry, const Screen& screen, WallMs now) {
  return indented(clean(text_in(entry, "summary")), kIndent, screen.width(), Color::none, screen) +
         indented(
             text_in(entry, "type") + " · " + age_of(entry, "at", now) + " · " + origin_of(entry),
             kIndent, screen.width(), Color::dim, screen);
}

}  // namespace

std::string inbox_page(const boost::json::array& entries, const Screen& screen, WallMs now) {
  std::string out;
  size_t number = 0;
  for (const boost::json::value& value : entries) {
    if (!value.is_object()) continue;
    const object& entry = value.get_object();
    if (!out.empty()) out += "\n";
    if (text_in(entry, "type") != "escalation") {
      out += report_block(entry, screen, now);
      continue;
    }
    const bool is_open = text_in(entry, "state") == "open";
    out += question_block(entry, screen, now, is_open ? ++number : 0, kContextLines);
  }
  return out;
}

std::string entry_page(const object& entry, const Screen& screen, WallMs now) {
  std::string out = text_in(entry, "type") == "escalation"
                        ? question_block(entry, screen, now, 0, std::string::npos)
                        : report_block(entry, screen, now);
  if (const boost::json::value* data = entry.if_contains("data");
      data != nullptr && !data->is_null()) {
    out += indented(clean(json_text(*data)), kIndent, screen.width(), Color::none, screen);
  }
  return out;
}

object entry_line(const object& entry) {
  object out;
  const bool is_question = text_in(entry, "type") == "escalation";
  for (const char* field :
       is_question
           ? std::initializer_list<const char*>{"id", "app", "run_id", "question", "choices",
                                                "asked_at", "deadline", "state", "answer"}
           : std::initializer_list<const char*>{"id", "app", "run_id", "type", "summary", "data",
                                                "at"}) {
    if (const boost::json::value* value = entry.if_contains(field)) out[field] = *value;
  }
  if (is_question && text_in(entry, "state") == "open") {
    out.erase("state");
    out.erase("answer");
  }
  return out;
}

}  // namespace drover::cli
