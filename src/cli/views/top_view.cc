#include "cli/views/top_view.h"

#include <algorithm>

#include "base/plain_text.h"
#include "cli/fields.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr size_t kFrame = 3;  // Header, titles, footer.

const object& run_at(const TopView& view, size_t i) {
  return view.runs[i].get_object();
}

// The index of the selected run; 0 if it is not listed.
size_t place(const TopView& view) {
  for (size_t i = 0; i < view.runs.size(); ++i) {
    if (text_in(run_at(view, i), "run_id") == view.selected) return i;
  }
  return 0;
}

// The selected run may have left the list: it was removed, or many others came.
bool is_listed(const TopView& view) {
  return !view.runs.empty() && text_in(run_at(view, place(view)), "run_id") == view.selected;
}

size_t room(size_t rows) {
  return rows > kFrame ? rows - kFrame : 1;
}

void select(TopView& view, size_t i) {
  if (view.runs.empty()) return;
  view.selected = text_in(run_at(view, std::min(i, view.runs.size() - 1)), "run_id");
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return out;
}

// Removes colors: on the reversed line many would be unreadable.
std::string without_colors(std::string_view line) {
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      while (i < line.size() && line[i] != 'm') ++i;
    } else {
      out += line[i];
    }
  }
  return out;
}

std::string reversed(std::string_view line, size_t columns) {
  std::string text = cut(without_colors(line), columns);
  text.append(columns - std::min(columns, cli::columns(text)), ' ');
  return "\x1b[7m" + text + "\x1b[0m";
}

std::string head(const TopView& view) {
  std::int64_t running = 0, queued = 0, failed = 0;
  for (const boost::json::value& value : view.runs) {
    const std::string state = text_in(value.get_object(), "state");
    running += state == "running" || state == "starting" ? 1 : 0;
    queued += state == "queued" ? 1 : 0;
    failed += state == "failed" || state == "timed_out" || state == "abandoned" ? 1 : 0;
  }
  std::string out = "drover";
  if (view.away) out += " · daemon unreachable";
  out += " · " + std::to_string(running) + " running";
  if (queued > 0) out += " · " + std::to_string(queued) + " queued";
  if (failed > 0) out += " · " + std::to_string(failed) + " failed recently";
  return out;
}

// Scrolls the output. The first step up reads older lines; the last step down follows again.
TopAction scroll(TopView& view, Key::Name key, size_t page) {
  const size_t before = view.log_up;
  size_t lines = SIZE_MAX;
  if (key == Key::Name::up || key == Key::Name::down) lines = 1;
  if (key == Key::Name::page_up || key == Key::Name::page_down) lines = page;
  const bool up = key == Key::Name::up || key == Key::Name::page_up || key == Key::Name::home;
  if (up) {
    view.log_up = lines > SIZE_MAX - before ? SIZE_MAX : before + lines;
  } else {
    view.log_up = before - std::min(before, lines);
  }
  return (before == 0) != (view.log_up == 0) ? TopAction::look : TopAction::nothing;
}

std::string foot(const TopView& view) {
  if (view.asks) return "cancel " + view.selected + "? y/n";
  if (!view.notice.empty()) return clean(view.notice);
  if (view.logs && view.log_up > 0) return "↑↓ scroll · end follow · esc back · q quit";
  if (view.logs) return "↑↓ scroll · esc back · c cancel · q quit";
  return "↑↓ select · enter output · c cancel · q quit";
}

}  // namespace

void settle(TopView& view) {
  const size_t i = place(view);
  if (!view.logs && !view.asks) select(view, i);
}

TopAction press(TopView& view, Key key, size_t rows) {
  view.notice.clear();
  const bool yes = key.name == Key::Name::letter && (key.letter == 'y' || key.letter == 'Y');
  if (view.asks) {
    view.asks = false;
    return yes ? TopAction::cancel : TopAction::nothing;
  }
  const size_t i = place(view);
  const size_t page = room(rows);
  switch (key.name) {
    case Key::Name::up:
      if (view.logs) return scroll(view, key.name, page);
      select(view, i == 0 ? 0 : i - 1);
      break;
    case Key::Name::down:
      if (view.logs) return scroll(view, key.name, page);
      select(view, i + 1);
      break;
    case Key::Name::page_up:
      if (view.logs) return scroll(view, key.name, page);
      select(view, i - std::min(i, page));
      break;
    case Key::Name::page_down:
      if (view.logs) return scroll(view, key.name, page);
      select(view, i + page);
      break;
    case Key::Name::home:
      if (view.logs) return scroll(view, key.name, page);
      select(view, 0);
      break;
    case Key::Name::end:
      if (view.logs) return scroll(view, key.name, page);
      select(view, view.runs.size());
      break;
    case Key::Name::enter:
      if (view.runs.empty() || view.logs) break;
      view.logs = true;
      view.log_up = 0;
      return TopAction::look;
    case Key::Name::escape:
      view.logs = false;
      break;
    case Key::Name::letter:
      if (key.letter == 'q') return TopAction::quit;
      if (key.letter == 'k') return press(view, {Key::Name::up, 0}, rows);
      if (key.letter == 'j') return press(view, {Key::Name::down, 0}, rows);
      if (key.letter != 'c' || view.runs.empty()) break;
      if (is_listed(view) && has_ended(run_at(view, i))) {
        view.notice = "this run has finished";
      } else {
        view.asks = true;
      }
      break;
    case Key::Name::other:
      break;
  }
  return TopAction::nothing;
}

std::vector<std::string> tail_lines(std::string_view text, size_t columns, size_t rows,
                                    size_t* up) {
  std::vector<std::string> out;
  PlainText plain;
  std::string lines = plain.pass(text);
  lines += plain.finish();
  for (const std::string& line : split_lines(lines)) out.push_back(cut(clean(line), columns));
  if (up != nullptr) {
    *up = std::min(*up, out.size() > rows ? out.size() - rows : 0);
    out.resize(out.size() - *up);
  }
  if (out.size() > rows) out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(rows));
  return out;
}

std::vector<std::string> draw(TopView& view, const std::string& table, const Screen& screen,
                              size_t columns, size_t rows) {
  std::vector<std::string> out;
  const size_t space = room(rows);
  if (view.logs) {
    std::string head = view.selected;
    if (is_listed(view)) {
      const object& run = run_at(view, place(view));
      head += " · " + text_in(run, "state") + " · " + clean(title_of(run));
    }
    out.push_back(screen.paint(Color::bold, cut(head, columns)));
    out.emplace_back();
    for (std::string& line : tail_lines(view.log_text, columns, space, &view.log_up)) {
      out.push_back(std::move(line));
    }
    if (out.size() == 2) out.push_back(screen.paint(Color::dim, cut("no output", columns)));
  } else {
    out.push_back(screen.paint(Color::bold, cut(head(view), columns)));
    const std::vector<std::string> lines = split_lines(table);
    const size_t at = place(view);
    const size_t last = view.runs.size() > space ? view.runs.size() - space : 0;
    view.first = std::min({view.first, at, last});
    if (at >= view.first + space) view.first = at - space + 1;
    out.push_back(lines.empty() ? cut("no runs", columns) : "  " + lines.front());
    for (size_t i = view.first; i + 1 < lines.size() && i < view.first + space; ++i) {
      out.push_back(i == at ? reversed("› " + lines[i + 1], columns) : "  " + lines[i + 1]);
    }
  }
  while (out.size() + 1 < rows) out.emplace_back();
  out.resize(std::max<size_t>(rows, 1) - 1);
  out.push_back(screen.paint(view.asks ? Color::yellow : Color::dim, cut(foot(view), columns)));
  return out;
}

}  // namespace drover::cli
