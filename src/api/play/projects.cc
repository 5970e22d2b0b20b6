#include "api/play/projects.h"

#include <boost/json/array.hpp>
#include <cstdlib>
#include <memory>

#include "api/ask.h"
#include "base/text.h"
#include "play/play_session.h"
#include "play/plays.h"
#include "play/project.h"
#include "requests/fields.h"
#include "wire/word.h"

namespace drover::api {
namespace {

namespace json = boost::json;

Result<json::object> describe(store::Reads& store, const play::KnownProject& project, WallMs now) {
  json::object out{{"project", project.id},
                   {"root", wire::word_of(project.root)},
                   {"added_at", rfc3339(project.added_at)},
                   {"state", play::name(play::State::idle)},
                   {"run_id", nullptr}};
  const auto latest = play::latest_play(store, project, now);
  if (!latest) return std::unexpected(latest.error());
  if (!*latest) return out;
  const auto session = play::parse_session((*latest)->phase);
  if (!session) return std::unexpected(session.error());
  out["state"] = play::name(session->state);
  out["run_id"] = (*latest)->id.view();
  return out;
}

// The same, with the current content of its drover.toml.
Result<json::object> describe_whole(store::Reads& store, const play::KnownProject& project,
                                    WallMs now) {
  auto out = describe(store, project, now);
  if (!out) return out;
  const auto read = play::load_project(project.root);
  const auto text = [](const std::string& s) {
    return s.empty() ? json::value(nullptr) : json::value(json::string(s));
  };
  (*out)["name"] = text(read ? read->name : "");
  (*out)["version"] = text(read ? read->version : "");
  (*out)["trouble"] = text(read ? "" : bounded(read.error().message, limits::kMessageBytesMax));
  json::array steps;
  if (read) {
    for (const auto& [stage, step] : {std::pair{play::Stage::build, &read->build},
                                      {play::Stage::validation, &read->validate},
                                      {play::Stage::pack, &read->pack}}) {
      if (*step) steps.emplace_back(play::name(stage));
    }
  }
  (*out)["steps"] = std::move(steps);
  return out;
}

bool sees_project(const access::Grant& grant, std::string_view id) {
  const std::string scope = play::scope_of(id);
  return access::narrowed(grant, scope) == scope;
}

// The canonical path: symbolic links are resolved once, here.
Result<std::string> true_path(const std::string& root) {
  if (!root.starts_with('/') || root.find('\0') != std::string::npos) {
    return fail_invalid("root", "root must be the absolute path of the project's directory");
  }
  const std::unique_ptr<char, void (*)(void*)> path(::realpath(root.c_str(), nullptr), &std::free);
  if (!path) {
    return fail(ErrorCode::not_found, "no_project",
                "there is no directory " + bounded(root, limits::kMessageBytesMax), "root");
  }
  return std::string(path.get());
}

}  // namespace

Result<play::KnownProject> find_project(store::Reads& store, const access::Grant& grant,
                                        std::string_view id) {
  if (sees_project(grant, id)) {
    auto project = play::known_project(store, std::string(id));
    if (project || project.error().code != ErrorCode::not_found) return project;
  }
  return fail(ErrorCode::not_found, "not_found",
              "there is no project " + bounded(id, 64) + "; `drover project ls` lists all projects",
              "project");
}

asio::awaitable<Result<play::KnownProject>> find_project(Services& services,
                                                         const Request& request) {
  return ask(services, request, [grant = request.grant, id = request.subject](store::Reads& store) {
    return find_project(store, grant, id);
  });
}

asio::awaitable<Result<std::optional<run::Record>>> latest_play(Services& services,
                                                                const Request& request,
                                                                play::KnownProject project) {
  return ask(services, request,
             [project = std::move(project), now = services.clock.wall_ms()](store::Reads& store) {
               return play::latest_play(store, project, now);
             });
}

asio::awaitable<Result<Response>> list_projects(Services& services, Request& request) {
  co_return co_await ask(services, request,
                         [grant = request.grant,
                          now = services.clock.wall_ms()](store::Reads& store) -> Result<Response> {
                           auto projects = play::known_projects(store);
                           if (!projects) return std::unexpected(projects.error());
                           json::array list;
                           for (const play::KnownProject& project : *projects) {
                             if (!sees_project(grant, project.id)) continue;
                             auto described = describe(store, project, now);
                             if (!described) return std::unexpected(described.error());
                             list.push_back(std::move(*described));
                           }
                           return answer_json(200, {{"projects", std::move(list)}});
                         });
}

namespace {

asio::awaitable<Result<Response>> show_known(Services& services, const Request& request,
                                             std::string id) {
  return ask(services, request,
             [grant = request.grant, id = std::move(id),
              now = services.clock.wall_ms()](store::Reads& store) -> Result<Response> {
               auto project = find_project(store, grant, id);
               if (!project) return std::unexpected(project.error());
               auto described = describe_whole(store, *project, now);
               if (!described) return std::unexpected(described.error());
               return answer_json(200, *described);
             });
}

}  // namespace

asio::awaitable<Result<Response>> add_project(Services& services, Request& request) {
  std::string root;
  {
    requests::Fields fields(request.body);
    fields.word("root", root);
    if (auto ok = fields.finish(); !ok) co_return std::unexpected(ok.error());
  }
  auto path = true_path(root);
  if (!path) co_return std::unexpected(path.error());
  auto read = play::load_project(*path);
  if (!read) co_return std::unexpected(read.error());
  const play::KnownProject wish{
      .id = read->id, .root = *path, .added_at = services.clock.wall_ms()};
  if (auto added = co_await services.record(play::add_project(wish)); !added) {
    co_return std::unexpected(added.error());
  }
  co_return co_await show_known(services, request, wish.id);
}

asio::awaitable<Result<Response>> show_project(Services& services, Request& request) {
  co_return co_await show_known(services, request, request.subject);
}

asio::awaitable<Result<Response>> remove_project(Services& services, Request& request) {
  auto project = co_await find_project(services, request);
  if (!project) co_return std::unexpected(project.error());
  const auto latest = co_await latest_play(services, request, *project);
  if (!latest) co_return std::unexpected(latest.error());
  if (*latest && run::is_active((*latest)->state)) {
    co_return fail(ErrorCode::conflict, "project_busy",
                   project->id + " is being played; stop it first: drover play stop " + project->id,
                   "project");
  }
  auto removed = co_await services.record(play::remove_project(project->id));
  if (!removed) co_return std::unexpected(removed.error());
  co_return answer_json(200, {{"project", project->id}, {"outcome", "removed"}});
}

}  // namespace drover::api
