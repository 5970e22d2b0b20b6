#include "inbox/entry.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "access/launchers.h"
#include "run/redact.h"

namespace drover::inbox {
namespace {

namespace json = boost::json;

// Each text of a JSON value, so that the result is JSON again.
void redact_texts(json::value& value, const run::Secrets& secrets) {
  if (value.is_string()) {
    value = run::redact(std::string_view(value.get_string()), secrets);
  } else if (value.is_array()) {
    for (json::value& item : value.get_array()) redact_texts(item, secrets);
  } else if (value.is_object()) {
    for (json::key_value_pair& pair : value.get_object()) redact_texts(pair.value(), secrets);
  }
}

}  // namespace

std::string subject_of(const Entry& entry) {
  return (entry.is_question() ? "question/" : "report/") + entry.id;
}

std::string app_of(std::string_view scope) {
  if (access::launcher_of(scope) != "app") return {};
  scope.remove_prefix(scope.find('/') + 1);
  return std::string(scope.substr(0, scope.find('/')));
}

void redact(Entry& entry, const run::Secrets& secrets) {
  for (std::string* text : {&entry.text, &entry.context}) {
    if (!text->empty()) *text = run::redact(*text, secrets);
  }
  if (!entry.data.empty()) {
    json::value data = json::parse(entry.data);
    redact_texts(data, secrets);
    entry.data = json::serialize(data);
  }
  for (std::string& choice : entry.choices) choice = run::redact(choice, secrets);
}

}  // namespace drover::inbox
