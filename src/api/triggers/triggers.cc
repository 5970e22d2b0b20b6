#include "api/triggers/triggers.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "access/grant.h"
#include "access/quota.h"
#include "api/ask.h"
#include "api/http/target.h"
#include "api/triggers/view.h"
#include "triggers/declared/declared_triggers.h"
#include "triggers/declared/limits.h"
#include "triggers/definition/spec.h"
#include "triggers/triggers.h"

namespace drover::api {
namespace {

namespace json = boost::json;
using triggers::StoredTrigger;
using triggers::Triggers;

bool sees_trigger(const access::Grant& grant, std::string_view name) {
  const std::string scope = triggers::scope_of(name);
  return access::narrowed(grant, scope) == scope;
}

Result<json::object> body_of(const Request& request) {
  boost::system::error_code bad;
  json::value body = json::parse(request.body.empty() ? "{}" : request.body, bad);
  if (bad || !body.is_object()) {
    return fail(
        ErrorCode::invalid, "malformed_json",
        bad ? "the body is not valid JSON: " + bad.message() : "the body must be a JSON object",
        "body");
  }
  return std::move(body.get_object());
}

// Takes run.env out of the fields: its values are stored apart from them.
Result<std::optional<triggers::Variables>> take_variables(json::object& fields) {
  json::object* run = fields.contains("run") ? fields["run"].if_object() : nullptr;
  if (run == nullptr || !run->contains("env")) return std::nullopt;
  triggers::Variables out;
  const json::object* env = (*run)["env"].if_object();
  if (env == nullptr) return fail_invalid("run.env", "run.env must be an object of strings");
  for (const json::key_value_pair& pair : *env) {
    if (!pair.value().is_string()) {
      return fail_invalid("run.env", "run.env must contain only strings; " +
                                         std::string(pair.key()) + " is not a string");
    }
    out.emplace(pair.key(), std::string(pair.value().get_string()));
  }
  run->erase("env");
  return out;
}

asio::awaitable<Result<Response>> show(Services& services, const Request& request,
                                       std::string trigger) {
  co_return co_await ask(
      services, request,
      [name = std::move(trigger), home = services.home, now = services.clock.wall_ms(),
       of_files = file_warnings(services)](store::Reads& store) -> Result<Response> {
        auto found = triggers::find_trigger(store, name);
        if (!found) return std::unexpected(found.error());
        auto view = view_of(store, home, *found, now, of_files);
        if (!view) return std::unexpected(view.error());
        return answer_json(200, *view);
      });
}

asio::awaitable<Result<Response>> answer_trigger(Services& services, const Request& request,
                                                 Result<StoredTrigger> trigger) {
  if (!trigger) co_return std::unexpected(trigger.error());
  co_return co_await show(services, request, std::move(trigger->name));
}

// Of the files that declare triggers. They contain paths: only the owner sees them.
json::array problems_for(Services& services, const Request& request) {
  json::array out;
  if (!request.grant.is_owner) return out;
  for (const triggers::Problem& one : services.rooms.get<triggers::DeclaredTriggers>().problems()) {
    if (out.size() == triggers::kProblemsShownMax) break;
    out.push_back(one.as_json());
  }
  return out;
}

Triggers& room(Services& services) {
  return services.rooms.get<Triggers>();
}

}  // namespace

asio::awaitable<Result<>> check_trigger(Services& services, Request& request) {
  if (!sees_trigger(request.grant, request.subject)) {
    co_return triggers::no_such_trigger(request.subject);
  }
  auto found = co_await ask(services, request, [name = request.subject](store::Reads& store) {
    return triggers::find_trigger(store, name);
  });
  co_return found ? Result<>{} : std::unexpected(found.error());
}

asio::awaitable<Result<Response>> list_triggers(Services& services, Request& request) {
  auto after = text_in(request.query, "after");
  if (!after) co_return std::unexpected(after.error());
  auto limit = number_in(request.query, "limit", 1, limits::kPageMax);
  if (!limit) co_return std::unexpected(limit.error());
  const size_t page = limit->value_or(limits::kPageDefault);
  co_return co_await ask(
      services, request,
      [grant = request.grant, after = after->value_or(""), page, home = services.home,
       now = services.clock.wall_ms(), of_files = file_warnings(services),
       problems = problems_for(services, request)](store::Reads& store) -> Result<Response> {
        auto found = triggers::list_triggers(store, after, page + 1);
        if (!found) return std::unexpected(found.error());
        json::value next = nullptr;
        if (found->size() > page) {
          found->resize(page);
          next = found->back().name;
        }
        json::array list;
        for (const StoredTrigger& trigger : *found) {
          if (!sees_trigger(grant, trigger.name)) continue;
          auto view = view_of(store, home, trigger, now, of_files);
          if (!view) return std::unexpected(view.error());
          list.push_back(std::move(*view));
        }
        return answer_json(200,
                           {{"triggers", std::move(list)}, {"next", next}, {"problems", problems}});
      });
}

asio::awaitable<Result<Response>> add_trigger(Services& services, Request& request) {
  auto fields = body_of(request);
  if (!fields) co_return std::unexpected(fields.error());
  auto variables = take_variables(*fields);
  if (!variables) co_return std::unexpected(variables.error());
  auto added =
      co_await room(services).add(std::move(*fields), variables->value_or(triggers::Variables{}));
  co_return co_await answer_trigger(services, request, std::move(added));
}

asio::awaitable<Result<Response>> show_trigger(Services& services, Request& request) {
  co_return co_await show(services, request, request.subject);
}

asio::awaitable<Result<Response>> edit_trigger(Services& services, Request& request) {
  auto fields = body_of(request);
  if (!fields) co_return std::unexpected(fields.error());
  auto variables = take_variables(*fields);
  if (!variables) co_return std::unexpected(variables.error());
  auto changed =
      co_await room(services).edit(request.subject, std::move(*fields), std::move(*variables));
  co_return co_await answer_trigger(services, request, std::move(changed));
}

asio::awaitable<Result<Response>> remove_trigger(Services& services, Request& request) {
  auto removed = co_await room(services).remove(request.subject);
  if (!removed) co_return std::unexpected(removed.error());
  co_return answer_json(200, {{"trigger", request.subject}, {"outcome", "removed"}});
}

asio::awaitable<Result<Response>> pause_trigger(Services& services, Request& request) {
  auto paused = co_await room(services).pause(request.subject);
  co_return co_await answer_trigger(services, request, std::move(paused));
}

asio::awaitable<Result<Response>> resume_trigger(Services& services, Request& request) {
  auto resumed = co_await room(services).resume(request.subject);
  co_return co_await answer_trigger(services, request, std::move(resumed));
}

asio::awaitable<Result<Response>> fire_trigger(Services& services, Request& request) {
  auto fields = body_of(request);
  if (!fields) co_return std::unexpected(fields.error());
  json::object event;
  for (auto& [name, value] : *fields) {
    if (name != "payload") {
      co_return fail(ErrorCode::invalid, "unknown_field", "unknown field; the field is payload",
                     std::string(name));
    }
    event["payload"] = std::move(value);
  }
  auto occurrence = co_await room(services).fire(request.subject, std::move(event));
  if (!occurrence) co_return std::unexpected(occurrence.error());
  co_return answer_json(200, view_of(*occurrence));
}

asio::awaitable<Result<Response>> post_event(Services& services, Request& request) {
  auto scope = access::scope_for(request.grant, "");
  if (!scope) co_return std::unexpected(scope.error());
  auto id = co_await room(services).emit(request.body, std::move(*scope), request.grant.run,
                                         access::share_of(request.grant));
  if (!id) co_return std::unexpected(id.error());
  co_return answer_json(202, {{"event_id", *id}});
}

asio::awaitable<Result<Response>> next_times(Services& services, Request& request) {
  auto count = number_in(request.query, "count", 1, triggers::kPreviewMax);
  if (!count) co_return std::unexpected(count.error());
  auto found = co_await ask(services, request, [name = request.subject](store::Reads& store) {
    return triggers::find_trigger(store, name);
  });
  if (!found) co_return std::unexpected(found.error());
  const auto spec = triggers::read_spec(found->spec, found->anchor);
  if (!spec) co_return std::unexpected(spec.error());
  if (spec->schedule() == nullptr) {
    co_return fail(ErrorCode::invalid, "no_schedule",
                   request.subject + " fires on events: it has no due times", "trigger");
  }
  json::array times;
  for (const WallMs time : triggers::preview(*spec->schedule(), services.clock.wall_ms(),
                                             static_cast<size_t>(count->value_or(5)))) {
    times.emplace_back(rfc3339(time));
  }
  co_return answer_json(200, {{"times", std::move(times)}});
}

asio::awaitable<Result<Response>> show_ledger(Services& services, Request& request) {
  auto before = number_in(request.query, "before", 1, INT64_MAX);
  if (!before) co_return std::unexpected(before.error());
  auto limit = number_in(request.query, "limit", 1, limits::kPageMax);
  if (!limit) co_return std::unexpected(limit.error());
  const size_t page = limit->value_or(limits::kPageDefault);
  co_return co_await ask(
      services, request,
      [query = triggers::LedgerQuery{.trigger = request.subject,
                                     .before = static_cast<std::int64_t>(before->value_or(0)),
                                     .limit = page + 1},
       page](store::Reads& store) -> Result<Response> {
        // A removed trigger has no ledger any more.
        const auto known = triggers::find_trigger(store, query.trigger);
        if (!known) return std::unexpected(known.error());
        auto occurrences = triggers::ledger(store, query);
        if (!occurrences) return std::unexpected(occurrences.error());
        json::value next = nullptr;
        if (occurrences->size() > page) {
          occurrences->resize(page);
          next = occurrences->back().number;
        }
        json::array entries;
        for (const triggers::Occurrence& occurrence : *occurrences)
          entries.push_back(view_of(occurrence));
        return answer_json(200, {{"entries", std::move(entries)}, {"next", next}});
      });
}

}  // namespace drover::api
