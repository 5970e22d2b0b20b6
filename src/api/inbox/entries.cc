#include "api/inbox/entries.h"

#include <boost/json/array.hpp>
#include <chrono>

#include "api/ask.h"
#include "api/http/target.h"
#include "api/inbox/view.h"
#include "api/runs/find.h"
#include "api/stream/long_poll.h"
#include "inbox/inbox.h"
#include "inbox/request_body.h"
#include "inbox/stored_entry.h"
#include "queries/resolve.h"
#include "requests/fields.h"

namespace drover::api {
namespace {

namespace json = boost::json;
using inbox::Entry;
using std::chrono::steady_clock;

inbox::Inbox& room(Services& services) {
  return services.rooms.get<inbox::Inbox>();
}

asio::awaitable<Result<Entry>> find_entry(Services& services, const Request& request) {
  co_return co_await ask(services, request,
                         [grant = request.grant, text = request.subject](store::Reads& store) {
                           return inbox::find_entry(store, grant, text);
                         });
}

// Until the question is closed, the time is over or the caller is gone.
asio::awaitable<Result<Entry>> wait_until_closed(Services& services, const Request& request,
                                                 Entry entry, std::int64_t ms) {
  const auto deadline = steady_clock::now() + std::chrono::milliseconds(ms);
  bus::Subscription subscription(services.bell, services.loop,
                                 {.run = {},
                                  .scope = {},
                                  .waker = request.grant.subject(),
                                  .reader = share_for(request.grant),
                                  .about = "question"},
                                 services.bell.last_seq());
  const ClientWatch watch(request.client, [&] {
    request.client.may_return() ? subscription.wake() : subscription.leave();
  });
  // Read again behind the subscription: it may have been closed in between.
  for (;;) {
    auto now = co_await ask(services, request, [id = entry.id](store::Reads& store) {
      return inbox::find_entry(store, access::owner_grant(), id);
    });
    if (!now || !now->is_open() || request.client.gone()) co_return now;
    if (auto still = co_await check_credential(services, request); !still) {
      co_return std::unexpected(still.error());
    }
    if (steady_clock::now() >= deadline) co_return now;
    for (bool about_it = false; !about_it;) {
      auto page = co_await subscription.next(deadline);
      if (!page) co_return std::unexpected(page.error());
      about_it = page->events.empty() || page->lagged != 0 || page->waker;
      for (const bus::EventPtr& event : page->events) {
        about_it = about_it || event->other == subject_of(entry);
      }
    }
  }
}

// A run must not answer in the place of a person.
Result<std::string> person(const Request& request) {
  if (request.grant.is_owner) return "owner";
  if (!request.grant.run) return "token";
  return fail(ErrorCode::invalid, "forbidden",
              "a run may not answer or dismiss questions; people do, with `drover answer`",
              "entry");
}

// A run asks and reports with its own token, and for itself alone.
Result<> check_own_run(const Request& request, std::string_view run_id, std::string_view what) {
  if (request.grant.is_owner) return {};
  if (request.grant.run && request.grant.run->view() == run_id) return {};
  return fail(ErrorCode::invalid, "forbidden",
              "only the run itself may " + std::string(what) + ", with its own token", "run_id");
}

asio::awaitable<Result<Response>> add(Services& services, Request& request,
                                      Result<Entry> (*read)(std::string_view, WallMs)) {
  auto entry = read(request.body, services.clock.wall_ms());
  if (!entry) co_return std::unexpected(entry.error());
  std::string key;
  if (request.idempotency_key) {
    key = *request.idempotency_key;
    if (auto ok = inbox::check_key(key); !ok) co_return std::unexpected(ok.error());
  }
  const auto run = co_await find_run(services, request);
  if (!run) co_return std::unexpected(run.error());
  if (auto ok = check_own_run(request, run->id.view(), "ask and report"); !ok) {
    co_return std::unexpected(ok.error());
  }
  auto added = co_await room(services).add(run->id, std::move(*entry), std::move(key),
                                           share_for(request.grant));
  if (!added) co_return std::unexpected(added.error());
  Response response = answer_json(202, view_of(added->entry));
  if (added->replayed) response.headers.emplace_back("Idempotent-Replayed", "true");
  co_return response;
}

Result<Response> answer_with(const Result<Entry>& entry) {
  if (!entry) return std::unexpected(entry.error());
  return answer_json(200, view_of(*entry));
}

Result<> check_no_fields(std::string_view body) {
  return requests::Fields(body).finish();
}

}  // namespace

asio::awaitable<Result<>> check_entry(Services& services, Request& request) {
  auto entry = co_await find_entry(services, request);
  if (!entry) co_return std::unexpected(entry.error());
  request.subject = entry->id;
  co_return Result<>{};
}

asio::awaitable<Result<Response>> list_inbox(Services& services, Request& request) {
  inbox::EntryQuery query;
  auto all = flag_in(request.query, "all");
  if (!all) co_return std::unexpected(all.error());
  query.open_only = !*all;
  auto run = text_in(request.query, "run");
  if (!run) co_return std::unexpected(run.error());
  if (*run) {
    auto id =
        co_await ask(services, request, [grant = request.grant, text = **run](store::Reads& store) {
          return queries::resolve_within(store, grant, text);
        });
    if (!id) co_return std::unexpected(id.error());
    query.run_id = id->str();
  }
  auto app = text_in(request.query, "app");
  if (!app) co_return std::unexpected(app.error());
  query.app = app->value_or("");
  auto type = text_in(request.query, "type");
  if (!type) co_return std::unexpected(type.error());
  if (*type) {
    query.type = inbox::type_named(**type);
    if (!query.type) {
      std::string names;
      for (const inbox::Type known : inbox::kTypes) {
        names.append(names.empty() ? "" : ", ").append(inbox::name(known));
      }
      co_return fail_invalid("type", "type must be one of " + names);
    }
  }
  auto before = number_in(request.query, "before", 1, INT64_MAX);
  if (!before) co_return std::unexpected(before.error());
  if (*before) query.before = static_cast<std::int64_t>(**before);
  auto limit = number_in(request.query, "limit", 1, limits::kPageMax);
  if (!limit) co_return std::unexpected(limit.error());
  const size_t page = limit->value_or(limits::kPageDefault);
  query.limit = page + 1;  // One more shows whether there is a next page.
  if (!access::narrowed(request.grant, "")) {
    co_return answer_json(200, {{"entries", json::array()}, {"next", nullptr}});
  }
  co_return co_await ask(services, request,
                         [grant = request.grant, query = std::move(query),
                          page](store::Reads& store) -> Result<Response> {
                           auto found = inbox::list_entries(store, grant, query);
                           if (!found) return std::unexpected(found.error());
                           json::value next = nullptr;
                           if (found->size() > page) {
                             found->resize(page);
                             next = found->back().number;
                           }
                           json::array entries;
                           for (const inbox::NumberedEntry& one : *found)
                             entries.push_back(view_of(one.entry));
                           return answer_json(
                               200, {{"entries", std::move(entries)}, {"next", std::move(next)}});
                         });
}

asio::awaitable<Result<Response>> show_entry(Services& services, Request& request) {
  auto ms = wait_ms(request.query);
  if (!ms) co_return std::unexpected(ms.error());
  auto entry = co_await find_entry(services, request);
  if (entry && *ms > 0 && entry->is_open()) {
    entry = co_await wait_until_closed(services, request, std::move(*entry), *ms);
  }
  co_return answer_with(entry);
}

asio::awaitable<Result<Response>> answer_question(Services& services, Request& request) {
  const auto by = person(request);
  if (!by) co_return std::unexpected(by.error());
  auto answer = inbox::read_answer(request.body);
  if (!answer) co_return std::unexpected(answer.error());
  auto entry = co_await find_entry(services, request);
  if (!entry) co_return std::unexpected(entry.error());
  co_return answer_with(co_await room(services).answer(entry->id, std::move(*answer), *by));
}

asio::awaitable<Result<Response>> dismiss_question(Services& services, Request& request) {
  const auto by = person(request);
  if (!by) co_return std::unexpected(by.error());
  if (auto ok = check_no_fields(request.body); !ok) co_return std::unexpected(ok.error());
  auto entry = co_await find_entry(services, request);
  if (!entry) co_return std::unexpected(entry.error());
  co_return answer_with(co_await room(services).dismiss(entry->id, *by));
}

asio::awaitable<Result<Response>> withdraw_question(Services& services, Request& request) {
  if (auto ok = check_no_fields(request.body); !ok) co_return std::unexpected(ok.error());
  auto entry = co_await find_entry(services, request);
  if (!entry) co_return std::unexpected(entry.error());
  if (auto ok = check_own_run(request, entry->run_id, "withdraw its question"); !ok) {
    co_return std::unexpected(ok.error());
  }
  co_return answer_with(co_await room(services).withdraw(entry->id));
}

asio::awaitable<Result<Response>> ask_question(Services& services, Request& request) {
  co_return co_await add(services, request, inbox::read_question);
}

asio::awaitable<Result<Response>> make_report(Services& services, Request& request) {
  co_return co_await add(services, request, inbox::read_report);
}

}  // namespace drover::api
