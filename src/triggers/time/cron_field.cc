#include "triggers/time/cron_field.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/text.h"

namespace drover::triggers {
namespace {

using Refusal = std::unexpected<std::string>;

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// Digits only, and few of them, so that the number cannot overflow.
std::optional<int> number(std::string_view text) {
  if (text.empty() || text.size() > 4) return std::nullopt;
  int out = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    out = out * 10 + (c - '0');
  }
  return out;
}

class Reader {
 public:
  Reader(const CronField& field, std::string_view text) : field_(field), text_(text) {}

  std::expected<CronValues, std::string> read() {
    out_.has_star = text_.starts_with('*') || text_.starts_with('?');
    std::string_view rest = text_;
    while (true) {
      const size_t comma = rest.find(',');
      if (auto read = read_element(rest.substr(0, comma)); !read) return Refusal(read.error());
      if (comma == std::string_view::npos) return out_;
      rest.remove_prefix(comma + 1);
    }
  }

 private:
  Refusal refuse(const std::string& why) const {
    return Refusal(std::string(field_.name) + " \"" + bounded(text_, 40) + "\": " + why);
  }
  std::string bounds() const {
    return std::to_string(field_.min) + "-" + std::to_string(field_.max);
  }

  std::expected<int, std::string> value(std::string_view text) const {
    for (size_t i = 0; i < field_.names.size(); ++i) {
      if (equals_ignoring_case(text, field_.names[i])) return field_.min + static_cast<int>(i);
    }
    const std::optional<int> found = number(text);
    if (found && *found >= field_.min && *found <= field_.max) return *found;
    const std::string given = "\"" + bounded(text, 20) + "\"";
    if (found) return refuse(given + " is outside " + bounds());
    if (text.empty()) return refuse("a value is missing; write a number in " + bounds());
    const bool quartz =
        text.contains('#') || (number(text.substr(0, 1)) && std::tolower(text.back()) == 'w');
    std::string names;
    if (!field_.names.empty()) {
      names = " or a name " + std::string(field_.names.front()) + "-" +
              std::string(field_.names.back());
    }
    return refuse(given + " is not a number in " + bounds() + names +
                  (quartz ? "; W and # are not supported" : ""));
  }

  // Whether the element was a form of `L`.
  std::expected<bool, std::string> read_last(std::string_view element) {
    const auto is_l = [](char c) { return c == 'L' || c == 'l'; };
    if (field_.last == CronField::Last::none || element.empty()) return false;
    if (element.size() == 1 && is_l(element[0])) {
      if (field_.last == CronField::Last::weekday) {
        return refuse("L needs a weekday, such as 5L for the last Friday of the month");
      }
      out_.last |= 1;
      return true;
    }
    if (field_.last != CronField::Last::weekday) {
      if (!is_l(element[0])) return false;
      return refuse("L stands alone and is the last day of the month");
    }
    std::string_view day = element;
    if (is_l(element.back())) {
      day.remove_suffix(1);
    } else if (is_l(element.front())) {
      day.remove_prefix(1);
    } else {
      return false;
    }
    const auto found = value(day);
    if (!found) return Refusal(found.error());
    out_.last |= std::uint64_t{1} << (*found % 7);
    return true;
  }

  std::expected<void, std::string> read_element(std::string_view element) {
    if (element.empty()) return refuse("an element between commas is empty; remove the comma");
    const auto last = read_last(element);
    if (!last) return Refusal(last.error());
    if (*last) return {};

    const size_t slash = element.find('/');
    const std::string_view range = element.substr(0, slash);
    int step = 1;
    if (slash != std::string_view::npos) {
      const int count = field_.end - field_.min + 1;
      step = number(element.substr(slash + 1)).value_or(0);
      if (step < 1 || step > count) {
        return refuse("the step must be 1-" + std::to_string(count) +
                      "; for a longer interval use @every, such as @every 90m");
      }
    }
    int from = field_.min;
    int to = field_.end;
    if (range != "*" && range != "?") {
      const size_t dash = range.find('-');
      const auto first = value(range.substr(0, dash));
      if (!first) return Refusal(first.error());
      from = *first;
      if (dash != std::string_view::npos) {
        const auto end = value(range.substr(dash + 1));
        if (!end) return Refusal(end.error());
        to = *end;
        if (to < from) return refuse(backward(from, to));
      } else if (slash == std::string_view::npos) {
        to = from;
      } else if (from > to) {
        from = field_.min;  // Weekday 7 with a step begins at Sunday.
      }
    }
    for (int at = from; at <= to; at += step) {
      out_.values |= std::uint64_t{1} << (at > field_.end ? field_.min : at);
    }
    return {};
  }

  std::string backward(int from, int to) const {
    const auto part = [](int a, int b) {
      return a == b ? std::to_string(a) : std::to_string(a) + "-" + std::to_string(b);
    };
    return "the range " + part(from, to) + " runs backward; write " + part(from, field_.end) + "," +
           part(field_.min, to);
  }

  const CronField& field_;
  std::string_view text_;
  CronValues out_;
};

}  // namespace

std::expected<CronValues, std::string> parse_cron_field(const CronField& field,
                                                        std::string_view text) {
  return Reader(field, text).read();
}

}  // namespace drover::triggers
