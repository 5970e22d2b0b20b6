#include "triggers/declared/spec_check.h"

#include <string>
#include <string_view>

#include "base/text.h"
#include "triggers/declared/key_value.h"
#include "triggers/declared/keys.h"
#include "triggers/definition/spec.h"
#include "triggers/events/known_run_event.h"

namespace drover::triggers {

namespace json = boost::json;

namespace {

// Errors of the API name its fields: "invalid_value" says nothing without the key.
std::string message_of(const Error& error, const Key* key) {
  if (error.reason != "unknown_field") return error.message;
  return "unknown field " + bounded(error.param, kKeyBytesMax) +
         (key == nullptr ? "" : " of " + std::string(key->key));
}

// "run.retry.max", "source.globs[2]": the key that is at fault.
const Key* key_of(const toml::table& table, std::string_view param) {
  KeyPart part = KeyPart::trigger;
  if (param.starts_with("source.")) part = KeyPart::source;
  if (param.starts_with("run.")) part = KeyPart::run;
  if (part != KeyPart::trigger) param.remove_prefix(param.find('.') + 1);
  param = param.substr(0, param.find_first_of(".["));
  if (param == "filter") param = "filters";
  if (param == "kinds") param = "on";
  if (param == "settle_ms") param = "settle";
  if (param == "command" && !table.contains("command")) param = "shell";
  const Key* best = nullptr;
  for (const Key& key : kKeys) {
    if (key.part != part || key.api_field() != param) continue;
    if (best == nullptr || table.contains(key.key)) best = &key;
  }
  return best;
}

// False: nothing could be replaced.
bool replace_value(json::object& fields, const Error& error, const toml::table& table,
                   bool is_source_known, ProblemList& problems) {
  const Key* key = key_of(table, error.param);
  // A source that is only assumed has no mistakes; neither are its rules known.
  const bool is_known = is_source_known || (key != nullptr && key->part == KeyPart::run) ||
                        (key != nullptr && key->key == "name");
  if (is_known)
    problems.add(key == nullptr ? table.source().begin : place_of_value(table, key->key),
                 message_of(error, key));
  if (key == nullptr) return false;
  json::object* object = key->part == KeyPart::trigger
                             ? &fields
                             : &fields[key->part == KeyPart::run ? "run" : "source"].as_object();
  const json::value* given = object->if_contains(key->api_field());
  const auto valid = valid_value(*key);
  if (valid) {
    if (given != nullptr && *given == *valid) return false;
    (*object)[key->api_field()] = *valid;
    return true;
  }
  return object->erase(key->api_field()) > 0;
}

}  // namespace

void check_spec(json::object& fields, const toml::table& table, bool is_source_known,
                ProblemList& problems) {
  for (size_t i = 0; i <= kKeys.size(); ++i) {
    const auto spec = read_spec(fields, 0);
    if (spec) {
      fields = fields_of(*spec);
      const auto* event = std::get_if<EventSource>(&spec->source);
      const auto ok = event == nullptr ? Result<>{} : check_run_event(event->on, "source.on");
      if (!ok) problems.add(place_of_value(table, "on"), ok.error().message);
      return;
    }
    if (!replace_value(fields, spec.error(), table, is_source_known, problems)) return;
  }
}

}  // namespace drover::triggers
