#include "inbox/changes.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "inbox/decision.h"
#include "inbox/limits.h"
#include "inbox/stored_entry.h"
#include "store/refusals.h"

namespace drover::inbox {
namespace {

namespace json = boost::json;

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

std::string type_of_event(const Entry& entry) {
  if (!entry.is_question()) return "run.reported";
  return "question." + std::string(entry.is_open() ? "asked" : name(entry.state));
}

// Without its context, which may be long, and without the text of an answer, which may be private.
store::SubjectEvent event_of(const Entry& entry) {
  json::object data{{"id", entry.id},
                    {"run_id", entry.run_id},
                    {"app", text_or_null(entry.app)},
                    {"type", name(entry.type)}};
  if (!entry.is_question()) {
    data["summary"] = entry.text;
    data["data"] = entry.data.empty() ? json::value(nullptr) : json::parse(entry.data);
  } else if (entry.is_open()) {
    json::array choices;
    for (const std::string& choice : entry.choices) choices.emplace_back(choice);
    data["question"] = entry.text;
    data["choices"] = std::move(choices);
    data["deadline"] =
        entry.deadline ? json::value(rfc3339(*entry.deadline)) : json::value(nullptr);
  } else if (entry.state == State::answered) {
    data["choice"] = text_or_null(entry.answer.choice);
    data["by"] = entry.closed_by;
  } else if (!entry.closed_by.empty()) {
    data["by"] = entry.closed_by;
  }
  return {.subject = subject_of(entry),
          .type = type_of_event(entry),
          .scope = entry.scope,
          .data = json::serialize(data)};
}

// The time at which it was asked may differ: the same request, sent again.
bool is_same_request(const Entry& a, const Entry& b) {
  return a.type == b.type && a.text == b.text && a.data == b.data && a.context == b.context &&
         a.choices == b.choices && a.deadline.has_value() == b.deadline.has_value();
}

std::unexpected<Error> too_many(std::string whose, std::int64_t most) {
  return fail(ErrorCode::exhausted, "too_many_questions",
              whose + " already has " + std::to_string(most) +
                  " open questions; wait for answers, or dismiss some: drover inbox dismiss",
              "question");
}

}  // namespace

Result<> add_entry(store::Transaction& transaction, Entry entry, const std::string& key) {
  const auto known = find_by_key(transaction, entry.run_id, key);
  if (!known) return std::unexpected(known.error());
  if (*known) {
    if (is_same_request(**known, entry)) return {};
    return store::key_reused((*known)->id);
  }
  const auto id = RunId::parse(entry.run_id);
  const auto run = id ? transaction.find(*id) : Result<std::optional<run::Record>>(std::nullopt);
  if (!run) return std::unexpected(run.error());
  if (!*run) {
    return fail(ErrorCode::not_found, "not_found",
                "there is no run " + entry.run_id + "; `drover ps -a` lists all runs", "run_id");
  }
  entry.scope = (*run)->scope;
  entry.app = app_of(entry.scope);
  if (entry.is_question()) {
    const auto open = count_open(transaction, entry.run_id);
    if (!open) return std::unexpected(open.error());
    if (open->of_run >= kOpenPerRunMax) return too_many("the run", kOpenPerRunMax);
    if (open->all >= kOpenMax) return too_many("the inbox", kOpenMax);
  }
  if (auto ok = insert_entry(transaction, entry, key); !ok) return ok;
  if (auto ok = trim_run(transaction, entry.run_id, kKeptPerRun); !ok) return ok;
  if (auto ok = trim_all(transaction, kKeptMax, kRowsAtOnce); !ok) return ok;
  return transaction.append(event_of(entry));
}

Result<> close_question(store::Transaction& transaction, const std::string& id, Happening happening,
                        const Answer& answer, const std::string& by) {
  auto question = find_entry(transaction, id);
  if (!question) return std::unexpected(question.error());
  if (!question->is_question()) {
    return fail(ErrorCode::invalid, "not_a_question", id + " is a report: it needs no answer",
                "entry");
  }
  auto given = checked(*question, answer);
  if (!given) return std::unexpected(given.error());
  const auto decision = decide(*question, happening, transaction.now(), *given);
  if (!decision) return std::unexpected(decision.error());
  if (*decision == Decision::repeated) return {};
  question->state = *next(question->state, happening);
  question->closed_at = transaction.now();
  question->answer = std::move(*given);
  question->closed_by = by;
  if (auto ok = close_entry(transaction, *question); !ok) return ok;
  return transaction.append(event_of(*question));
}

}  // namespace drover::inbox
