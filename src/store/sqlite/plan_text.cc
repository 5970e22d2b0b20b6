#include "store/sqlite/plan_text.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "run/resource_limits_text.h"

namespace drover::store::sqlite {
namespace {

namespace json = boost::json;

void add(json::object& out, const char* key, const std::vector<RunId>& ids) {
  if (ids.empty()) return;
  json::array list;
  for (const RunId& id : ids) list.emplace_back(id.view());
  out[key] = std::move(list);
}

bool read(const json::object& plan, const char* key, std::vector<RunId>& ids) {
  const json::value* list = plan.if_contains(key);
  if (list == nullptr) return true;
  if (!list->is_array()) return false;
  for (const json::value& item : list->get_array()) {
    const auto id = RunId::parse(item.is_string() ? std::string_view(item.get_string()) : "");
    if (!id) return false;
    ids.push_back(*id);
  }
  return true;
}

bool read(const json::value& text, run::Retry& retry) {
  if (!text.is_object()) return false;
  const json::object& fields = text.get_object();
  const json::value* max = fields.if_contains("max");
  const json::value* backoff = fields.if_contains("backoff_ms");
  const json::value* on = fields.if_contains("on");
  if (max == nullptr || !max->is_int64() || backoff == nullptr || !backoff->is_int64()) {
    return false;
  }
  retry.max = static_cast<int>(max->get_int64());
  retry.backoff_ms = backoff->get_int64();
  if (on == nullptr) return true;
  if (!on->is_array()) return false;
  for (const json::value& item : on->get_array()) {
    const auto state = run::state_named(item.is_string() ? item.get_string() : "");
    if (!state) return false;
    retry.on.push_back(*state);
  }
  return true;
}

}  // namespace

std::string plan_text(const run::Record& record) {
  if (!record.waits_for_others() && record.retry.max == 0 && !record.limits.any()) return {};
  json::object out;
  add(out, "after", record.after);
  add(out, "after_any", record.after_any);
  if (record.retry.max > 0) {
    json::object retry{{"max", record.retry.max}, {"backoff_ms", record.retry.backoff_ms}};
    if (!record.retry.on.empty()) {
      json::array on;
      for (const run::State state : record.retry.on) on.emplace_back(name(state));
      retry["on"] = std::move(on);
    }
    out["retry"] = std::move(retry);
  }
  if (record.limits.any()) out["limits"] = run::describe(record.limits, record.limits_by);
  return json::serialize(out);
}

bool read_plan(std::string_view text, run::Record& record) {
  if (text.empty()) return true;
  boost::system::error_code bad;
  const json::value value = json::parse(text, bad);
  if (bad || !value.is_object()) return false;
  const json::object& plan = value.get_object();
  const json::value* retry = plan.if_contains("retry");
  const json::value* limits = plan.if_contains("limits");
  return read(plan, "after", record.after) && read(plan, "after_any", record.after_any) &&
         (retry == nullptr || read(*retry, record.retry)) &&
         (limits == nullptr || run::read_limits(*limits, record.limits, record.limits_by));
}

}  // namespace drover::store::sqlite
