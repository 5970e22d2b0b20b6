#include "api/inbox/view.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

namespace drover::api {
namespace {

namespace json = boost::json;

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

json::value time_or_null(WallMs time) {
  return time == 0 ? json::value(nullptr) : json::value(rfc3339(time));
}

}  // namespace

json::object view_of(const inbox::Entry& entry) {
  json::object out{{"id", entry.id},
                   {"type", name(entry.type)},
                   {"app", text_or_null(entry.app)},
                   {"run_id", entry.run_id},
                   {"scope", entry.scope},
                   {"at", rfc3339(entry.at)},
                   {"data", entry.data.empty() ? json::value(nullptr) : json::parse(entry.data)}};
  if (!entry.is_question()) {
    out["summary"] = entry.text;
    return out;
  }
  json::array choices;
  for (const std::string& choice : entry.choices) choices.emplace_back(choice);
  out["question"] = entry.text;
  out["choices"] = std::move(choices);
  out["context"] = text_or_null(entry.context);
  out["state"] = inbox::name(entry.state);
  out["asked_at"] = rfc3339(entry.at);
  out["deadline"] = time_or_null(entry.deadline.value_or(0));
  out["closed_at"] = time_or_null(entry.closed_at);
  out["answer"] = nullptr;
  if (entry.state == inbox::State::answered) {
    out["answer"] = json::object{{"choice", text_or_null(entry.answer.choice)},
                                 {"text", text_or_null(entry.answer.text)},
                                 {"by", entry.closed_by}};
  }
  return out;
}

}  // namespace drover::api
