#include "cli/views/each_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/fields.h"
#include "cli/views/run_view.h"
#include "cli/views/table.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

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
  if (!progress.all_known) out += "+";  // More inputs may arrive.
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

std::string say_lane_wait(const object& lane, size_t waiting) {
  const std::string name = text_in(lane, "name");
  if (!text_in(lane, "paused_at").empty()) {
    return "the lane " + name + " is paused; `drover lane resume " + name + "` resumes it";
  }
  const std::int64_t limit = number_in(lane, "limit").value_or(0);
  const std::int64_t running = number_in(lane, "active").value_or(0);
  const std::int64_t queued = number_in(lane, "queued").value_or(0);
  if (running < limit || queued < static_cast<std::int64_t>(waiting)) return "";
  return fmt::format("the lane {} is full: {} running, {} queued; `drover ps --lane {}` lists them",
                     name, running, queued, name);
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

std::string say_ends(const EachEnds& ends) {
  std::string out = say_number(ends.completed) + (ends.detached ? " submitted" : " completed");
  for (const auto& [state, count] : ends.others) {
    std::string word = state;
    std::ranges::replace(word, '_', ' ');
    out += ", " + say_number(count) + " " + word;
  }
  if (ends.never_started > 0) out += ", " + say_number(ends.never_started) + " not started";
  return out;
}

EachFailure failure_of(const object& record, std::string input) {
  const std::string reason = text_in(record, "reason");
  const bool by_itself = reason == "exit_nonzero" || reason == "canceled_by_owner";
  return {text_in(record, "run_id"), ending_of(record), text_in(record, "state"),
          by_itself ? "" : text_in(record, "message"), std::move(input)};
}

EachFailure failure_of(const Error& refusal, std::string input) {
  return {"", "-", "refused", refusal.message, std::move(input)};
}

std::string common_why(const std::vector<EachFailure>& failures) {
  if (failures.empty()) return "";
  const std::string& why = failures.front().why;
  const bool same =
      std::ranges::all_of(failures, [&](const EachFailure& failure) { return failure.why == why; });
  return same ? why : "";
}

std::string failure_table(const std::vector<EachFailure>& failures, const Screen& screen) {
  const bool any = std::ranges::any_of(
      failures, [](const EachFailure& failure) { return !failure.why.empty(); });
  const bool whys = any && common_why(failures).empty();
  std::vector<std::string> titles{"ID", "EXIT", "STATE", "INPUT"};
  if (whys) titles.emplace_back("WHY");
  Table table(std::move(titles), 3);
  std::vector<std::string> ids;
  for (const EachFailure& failure : failures) ids.push_back(failure.run);
  table.may_shorten(0, short_id_width(ids));
  if (whys) table.may_cut(4, 24);
  for (const EachFailure& failure : failures) {
    std::vector<Cell> row{{failure.run.empty() ? "-" : failure.run},
                          {failure.ending},
                          {failure.state, Color::red},
                          {failure.input, Color::bold}};
    if (whys) row.push_back({failure.why});
    table.add(std::move(row));
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
