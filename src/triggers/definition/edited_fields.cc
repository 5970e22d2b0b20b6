#include "triggers/definition/edited_fields.h"

#include <string_view>

namespace drover::triggers {
namespace {

namespace json = boost::json;

void merge(json::object& into, const json::object& given);

void set(json::object& into, std::string_view field, const json::value& value) {
  if (value.is_null()) {
    into.erase(field);
    return;
  }
  json::object* old = into.contains(field) ? into[field].if_object() : nullptr;
  const bool has_parts = field == "run" || field == "limits" || field == "retry";
  if (old != nullptr && has_parts && value.is_object()) {
    merge(*old, value.get_object());
  } else {
    into[field] = value;
  }
}

void merge(json::object& into, const json::object& given) {
  for (const auto& [field, value] : given) set(into, field, value);
}

// A command and a script exclude each other.
void merge_run(json::object& run, const json::object& given) {
  merge(run, given);
  if (given.contains("shell")) run.erase("command");
  if (given.contains("command")) run.erase("shell");
}

bool is_same_type(const json::object& source, const json::object& given) {
  return !given.contains("type") ||
         (source.contains("type") && source.at("type") == given.at("type"));
}

}  // namespace

json::object edited_fields(json::object fields, const json::object& given) {
  for (const auto& [field, value] : given) {
    json::object* old = fields.contains(field) ? fields[field].if_object() : nullptr;
    const json::object* now = value.if_object();
    if (field == "run" && old != nullptr && now != nullptr) {
      merge_run(*old, *now);
    } else if (field == "source" && old != nullptr && now != nullptr && is_same_type(*old, *now)) {
      merge(*old, *now);
    } else {
      set(fields, field, value);
    }
  }
  // The window belongs to `missed: all`.
  const bool has_window = fields.contains("missed_window") && !given.contains("missed_window");
  if (has_window && (!fields.contains("missed") || fields.at("missed") != "all")) {
    fields.erase("missed_window");
  }
  return fields;
}

}  // namespace drover::triggers
