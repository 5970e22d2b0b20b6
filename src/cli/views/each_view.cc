#include "cli/views/each_view.h"

#include <fmt/core.h>

#include <cmath>

#include "base/text.h"
#include "cli/fields.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

// With commas: five thousand and fifty thousand must not look alike.
std::string say_number(std::uint64_t n) {
  std::string out = std::to_string(n);
  for (size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

std::string bar(double part) {
  constexpr size_t kWidth = 20;
  const auto full = static_cast<size_t>(part * kWidth);
  std::string out;
  for (size_t i = 0; i < kWidth; ++i) out += i < full ? "━" : "─";
  return out;
}

}  // namespace

std::string say_progress(const EachProgress& progress) {
  std::string out;
  if (progress.all_known && progress.known > 0) {
    out = bar(static_cast<double>(progress.done) / static_cast<double>(progress.known)) + " ";
  }
  out += say_number(progress.done) + "/" + say_number(progress.known);
  if (!progress.all_known) out += "+";  // More may come.
  if (progress.failed > 0) out += " · " + say_number(progress.failed) + " failed";
  if (progress.per_second <= 0) return out;
  out += progress.per_second < 10
             ? fmt::format(" · {:.1f}/s", progress.per_second)
             : " · " + say_number(static_cast<std::uint64_t>(progress.per_second)) + "/s";
  if (progress.all_known) {
    const double left = static_cast<double>(progress.known - progress.done) / progress.per_second;
    out += " · " + say_elapsed(static_cast<std::int64_t>(std::ceil(left)) * 1000) + " left";
  }
  return out;
}

void Rate::see(size_t done, std::int64_t at_ms) {
  if (at_ms_ < 0) {
    at_ms_ = at_ms;
    done_ = done;
    return;
  }
  const auto seconds = static_cast<double>(at_ms - at_ms_) / 1000;
  if (seconds <= 0) return;
  const double now = static_cast<double>(done - done_) / seconds;
  const double old = std::exp2(-seconds / 2);
  sum_ = sum_ * old + now * (1 - old);
  weight_ = weight_ * old + (1 - old);
  at_ms_ = at_ms;
  done_ = done;
}

EachFailure failure_of(const object& record, std::string input) {
  std::string state = text_in(record, "state");
  if (const std::string error = text_in(record, "launch_error"); !error.empty()) {
    state += " (" + error + ")";
  }
  return {text_in(record, "run_id"), ending_of(record), std::move(state), std::move(input)};
}

EachFailure failure_of(const Error& refusal, std::string input) {
  return {"", "-", "refused: " + refusal.message, std::move(input)};
}

std::string failure_table(const std::vector<EachFailure>& failures, const Screen& screen) {
  Table table({"ID", "EXIT", "STATE", "INPUT"}, 3);
  for (const EachFailure& failure : failures) {
    table.add({{failure.run.empty() ? "-" : failure.run},
               {failure.ending},
               {failure.state, Color::red},
               {failure.input, Color::bold}});
  }
  return table.text(screen);
}

object outcome_of(const object& record, std::string_view input) {
  object out;
  if (is_utf8(input)) {
    out["input"] = input;
  } else {
    out["input_base64"] = base64(input);
  }
  for (const char* field :
       {"run_id", "state", "reason", "exit_code", "signal", "launch_error", "duration_ms"}) {
    if (const boost::json::value* value = record.if_contains(field)) out[field] = *value;
  }
  return out;
}

}  // namespace drover::cli
