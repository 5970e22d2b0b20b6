// Finds the run that a request names. A run that changed lately is at hand in memory, so that the
// path of a short run reads nothing from the disk; for any other the store is asked.
#pragma once

#include <string>

#include "api/http/request.h"
#include "api/services.h"
#include "base/id.h"
#include "run/record.h"

namespace drover::api {

// The record of the run that `text` resolves to (queries/resolve.h).
asio::awaitable<Result<run::Record>> find_run(Services& services, const Request& request,
                                              std::string text);
// The record of the request's subject.
asio::awaitable<Result<run::Record>> find_run(Services& services, const Request& request);
// The id of the request's subject. A complete id is returned as it is.
asio::awaitable<Result<RunId>> resolve_run(Services& services, const Request& request);
// The check of a route whose subject is a run: after it, the subject is the id of a run that the
// caller can see.
asio::awaitable<Result<>> check_run(Services& services, Request& request);
// The error for a run that is not there; of a deleted one it says what became of it.
asio::awaitable<Error> missing_run(Services& services, const Request& request, RunId id);

}  // namespace drover::api
