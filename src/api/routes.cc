#include "api/routes.h"

#include <algorithm>
#include <array>

#include "api/authorise.h"
#include "api/cancel.h"
#include "api/events.h"
#include "api/front.h"
#include "api/handles.h"
#include "api/health.h"
#include "api/input.h"
#include "api/lanes.h"
#include "api/logs.h"
#include "api/metrics.h"
#include "api/openapi.h"
#include "api/play.h"
#include "api/play_log.h"
#include "api/projects.h"
#include "api/resolve.h"
#include "api/retry.h"
#include "api/runs.h"
#include "api/status.h"
#include "api/target.h"
#include "api/terminal.h"
#include "api/tokens.h"
#include "api/why.h"

namespace drover::api {
namespace {

// No default: an operation that is added to the list and not here does not compile.
Handler handler_of(wire::Op op) {
  switch (op) {
    case wire::Op::runs_create:
      return &create_run;
    case wire::Op::runs_list:
      return &list_runs;
    case wire::Op::runs_get:
      return &get_run;
    case wire::Op::runs_cancel:
      return &cancel_run;
    case wire::Op::runs_delete:
      return &delete_run;
    case wire::Op::runs_logs:
      return &read_logs;
    case wire::Op::runs_input:
      return &send_input;
    case wire::Op::runs_signal:
      return &send_signal;
    case wire::Op::runs_resize:
      return &resize_run;
    case wire::Op::runs_screen:
      return &show_screen;
    case wire::Op::runs_events:
      return &run_events;
    case wire::Op::runs_move:
      return &move_run;
    case wire::Op::runs_retry:
      return &retry_run;
    case wire::Op::runs_why:
      return &why_run;
    case wire::Op::scope_cancel:
      return &cancel_scope;
    case wire::Op::events:
      return &all_events;
    case wire::Op::lanes_list:
      return &list_lanes;
    case wire::Op::lanes_set:
      return &set_lane;
    case wire::Op::lanes_delete:
      return &remove_lane;
    case wire::Op::projects_list:
      return &list_projects;
    case wire::Op::projects_add:
      return &add_project;
    case wire::Op::projects_get:
      return &show_project;
    case wire::Op::projects_remove:
      return &remove_project;
    case wire::Op::projects_play:
      return &play_project;
    case wire::Op::projects_stop:
      return &stop_project;
    case wire::Op::projects_session:
      return &show_session;
    case wire::Op::projects_feed:
      return &show_feed;
    case wire::Op::projects_log:
      return &read_play_log;
    case wire::Op::status:
      return &show_status;
    case wire::Op::stop:
      return &stop_daemon;
    case wire::Op::ref_status:
      return &resolve_handle;
    case wire::Op::ref_timeline:
      return &show_timeline;
    case wire::Op::ref_cancel:
      return &cancel_handle;
    case wire::Op::health:
      return &show_health;
    case wire::Op::ready:
      return &show_readiness;
    case wire::Op::metrics:
      return &show_metrics;
    case wire::Op::openapi:
      return &describe_api;
    case wire::Op::tokens_create:
      return &create_token;
    case wire::Op::tokens_list:
      return &list_tokens;
    case wire::Op::tokens_revoke:
      return &revoke_token;
    case wire::Op::ui_open:
      return &open_ui;
    case wire::Op::login:
      return &log_in;
    case wire::Op::logout:
      return &log_out;
    case wire::Op::front:
      return &show_front;
  }
  std::unreachable();
}

// Whether `path` is of the shape of `form`, and which segment stands for its {…}.
bool fits(std::string_view form, std::string_view path, std::string_view& subject) {
  while (!form.empty() && !path.empty()) {
    if (form.front() != '/' || path.front() != '/') return false;
    const std::string_view want = form.substr(1, form.find('/', 1) - 1);
    const std::string_view have = path.substr(1, path.find('/', 1) - 1);
    form.remove_prefix(std::min(form.size(), want.size() + 1));
    path.remove_prefix(std::min(path.size(), have.size() + 1));
    if (want.starts_with('{')) {
      subject = have;
    } else if (want != have) {
      return false;
    }
  }
  return form.empty() && path.empty();
}

Result<> check_query(const wire::Operation& operation, const Query& query) {
  for (const auto& [name, value] : query) {
    const bool known = std::ranges::any_of(
        operation.query, [&](const wire::Parameter& parameter) { return parameter.name == name; });
    if (known) continue;
    std::string names;
    for (const wire::Parameter& parameter : operation.query) {
      names.append(names.empty() ? "; it takes " : ", ").append(parameter.name);
    }
    return fail(ErrorCode::invalid, "unknown_parameter",
                std::string(operation.name) + " has no parameter of this name" + names, name);
  }
  return {};
}

bool is_media(std::string_view content_type, std::string_view want) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return std::ranges::equal(
      type, want, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

// A page of another origin can send a form without being asked, but not these types.
bool takes(wire::Body body, std::string_view content_type) {
  switch (body) {
    case wire::Body::none:
      return true;
    case wire::Body::json:
      return is_media(content_type, "application/json");
    case wire::Body::bytes:
      return is_media(content_type, "application/octet-stream") ||
             is_media(content_type, "text/plain");
  }
  std::unreachable();
}

Response no_such_route(const Request& request) {
  return refuse({ErrorCode::not_found, "route_not_found",
                 "there is nothing at this path; see docs/api.md for what there is", "path"},
                request.id);
}

Response wrong_method(const Request& request, const std::string& allow) {
  Response response = refuse(
      {ErrorCode::invalid, "method_not_allowed", "this path answers " + allow + " only", "method"},
      request.id);
  response.headers.emplace_back("Allow", allow);
  return response;
}

Response wrong_media(const Request& request, wire::Body body) {
  return refuse(
      {ErrorCode::invalid, "unsupported_media_type",
       body == wire::Body::json ? "send JSON, with Content-Type: application/json"
                                : "send bytes, with Content-Type: application/octet-stream",
       "Content-Type"},
      request.id);
}

std::string_view why_not(wire::Can need) {
  switch (need) {
    case wire::Can::own:
      return "only the owner may do this; this token is not the owner's";
    case wire::Can::read_all:
      return "this tells of all runs: it is for the owner, and for tokens that can read in every "
             "scope";
    default:
      return "this token was not made for that; see `drover token ls`";
  }
}

// Who calls, and whether they may do this, to this run. From here on `subject` is a run that the
// caller can see; handlers need not ask again.
Result<> authorise(const Backing& backing, const wire::Operation& operation, Request& request) {
  request.grant = {.is_owner = false};
  if (operation.can == wire::Can::anyone) return {};
  auto grant = identify(backing, request);
  if (!grant) return std::unexpected(grant.error());
  request.grant = std::move(*grant);
  request.credential = credential_in(request).value_or("");
  if (access::may(request.grant, operation.can) != access::Verdict::yes) {
    return fail(ErrorCode::invalid, "forbidden", std::string(why_not(operation.can)),
                "Authorization");
  }
  if (request.grant.is_owner) return {};
  if (operation.path.find("{project}") != std::string_view::npos) {
    auto project = find_project(backing.store, request.grant, request.subject);
    return project ? Result<>{} : std::unexpected(project.error());
  }
  if (operation.path.find("{id}") == std::string_view::npos) return {};
  auto id = resolve_within(backing.store, request.grant, request.subject);
  if (!id) return std::unexpected(id.error());
  // A handle is a whole id, or nothing: its own handlers see to that.
  if (!operation.path.starts_with("/_ref")) request.subject = id->str();
  return {};
}

}  // namespace

Match match(std::string_view method, std::string_view path) {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  Match found;
  for (const wire::Operation& operation : wire::kOperations) {
    std::string_view subject;
    if (!fits(operation.path, path, subject)) continue;
    // A broken escape is a strange name, and no run has it (H5).
    auto decoded = decode(subject, false);
    found.allow.append(found.allow.empty() ? "" : ", ").append(operation.method);
    if (operation.method == "GET") found.allow += ", HEAD";
    if (operation.method != wanted) continue;
    found.operation = &operation;
    found.subject = decoded ? std::move(*decoded) : std::string(subject);
  }
  if (!found.allow.empty()) found.allow += ", OPTIONS";
  return found;
}

asio::awaitable<Response> answer(Backing& backing, Request& request) {
  // Before anything can refuse it: what was sent behind a refusal must not be made either. A query
  // that cannot be read may have said `ahead`.
  auto query = query_of(request.target);
  request.closes_connection =
      !query || std::ranges::any_of(*query, [](const auto& pair) { return pair.first == "ahead"; });
  if (auto ok = check_names(request); !ok) co_return refuse(ok.error(), request.id);
  Match found = match(request.method, path_of(request.target));
  if (found.allow.empty()) co_return no_such_route(request);
  if (request.method == "OPTIONS") {
    Response response;
    response.status = 204;
    response.headers.emplace_back("Allow", std::move(found.allow));
    co_return response;
  }
  if (found.operation == nullptr) co_return wrong_method(request, found.allow);
  const wire::Operation& operation = *found.operation;
  request.subject = std::move(found.subject);
  if (auto ok = authorise(backing, operation, request); !ok) {
    co_return refuse(ok.error(), request.id);
  }
  if (!query) co_return refuse(query.error(), request.id);
  request.query = std::move(*query);
  if (auto ok = check_query(operation, request.query); !ok) {
    co_return refuse(ok.error(), request.id);
  }
  if (!request.body.empty() && !takes(operation.body, request.content_type)) {
    co_return wrong_media(request, operation.body);
  }
  Result<Response> response = co_await handler_of(operation.op)(backing, request);
  if (!response) co_return refuse(response.error(), request.id);
  // An answer may have been long in coming; whose token was revoked meanwhile is told nothing more.
  if (operation.can == wire::Can::read && !request.grant.token_id.empty()) {
    if (auto still = identify(backing, request); !still)
      co_return refuse(still.error(), request.id);
  }
  co_return std::move(*response);
}

}  // namespace drover::api
