// The projects there are: directories with a drover.toml that can be played. Whoever may add one
// may have its commands executed; so it is the owner who adds and removes them.
#pragma once

#include <boost/json/value.hpp>

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"
#include "play/known_projects.h"

namespace drover::api {

asio::awaitable<Result<Response>> list_projects(Services& services, Request& request);
// The same directory again is the same project.
asio::awaitable<Result<Response>> add_project(Services& services, Request& request);
asio::awaitable<Result<Response>> show_project(Services& services, Request& request);
// Refused (`project_busy`) while it is played.
asio::awaitable<Result<Response>> remove_project(Services& services, Request& request);

// The project of that id, if the caller can see it: its runs stand in a scope of its own.
Result<play::KnownProject> find_project(store::Store& store, const access::Grant& grant,
                                        std::string_view id);

}  // namespace drover::api
