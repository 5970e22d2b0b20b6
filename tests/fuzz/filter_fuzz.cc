// Fuzzes the filters of triggers and the events they look at: the first line is a rule, the rest is
// an event. A rule that is accepted is read back as it is written, and decides the same twice.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "triggers/events/filter.h"
#include "triggers/events/json_text.h"
#include "triggers/events/limits.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  using namespace drover::triggers;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view line = input.substr(0, input.find('\n'));
  const auto rule = parse_rule_text(line);
  const auto event =
      read_json(input.substr(std::min(line.size() + 1, size)),
                {.bytes_max = kPayloadBytesMax, .levels_max = kPayloadLevelsMax}, "payload");
  if (!event && event.error().reason.empty()) std::abort();
  if (!rule) {
    if (rule.error().param != "filter" || rule.error().message.empty()) std::abort();
    return 0;
  }
  const auto again = parse_rule(rule->as_json());
  if (!again || again->as_json() != rule->as_json()) std::abort();
  // As it is stored.
  const auto stored = read_json(boost::json::serialize(rule->as_json()),
                                {.bytes_max = 1 << 20, .levels_max = 64}, "filter");
  if (!stored || !parse_rule(*stored)) std::abort();
  if (rule->text().empty()) std::abort();
  if (!event) return 0;
  const FilterRule rules[] = {*rule};
  const FilterRule others[] = {*again};
  const FilterVerdict verdict = evaluate(rules, *event);
  if (verdict.passes() != evaluate(others, *event).passes()) std::abort();
  if (verdict.passes() != verdict.reason.empty()) std::abort();
  return 0;
}
