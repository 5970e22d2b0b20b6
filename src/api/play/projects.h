// The handlers for known projects: directories with a drover.toml that can be played. Adding a
// project allows its commands to run, so only the owner adds and removes projects.
#pragma once

#include <boost/json/value.hpp>

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"
#include "play/known_projects.h"
#include "run/record.h"

namespace drover::api {

asio::awaitable<Result<Response>> list_projects(Services& services, Request& request);
// Adding the same directory again answers the same project.
asio::awaitable<Result<Response>> add_project(Services& services, Request& request);
asio::awaitable<Result<Response>> show_project(Services& services, Request& request);
// Refused (`project_busy`) while it is being played.
asio::awaitable<Result<Response>> remove_project(Services& services, Request& request);

// The project of that id, if the caller may see it: its runs are in the project's own scope.
Result<play::KnownProject> find_project(store::Reads& store, const access::Grant& grant,
                                        std::string_view id);
// The project that the request names.
asio::awaitable<Result<play::KnownProject>> find_project(Services& services,
                                                         const Request& request);
asio::awaitable<Result<std::optional<run::Record>>> latest_play(Services& services,
                                                                const Request& request,
                                                                play::KnownProject project);

}  // namespace drover::api
