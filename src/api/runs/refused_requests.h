// Reports cancels and deletes that changed nothing to the subscribers of the run (R12), with the
// caller who sent them.
#pragma once

#include "api/http/request.h"
#include "api/services.h"
#include "dispatch/dispatcher.h"
#include "run/event.h"

namespace drover::api {

// Counts the request, and writes its event if the run has few of them (store/refused_request.h).
// The caller's answer does not depend on it: if the event cannot be written, it is lost.
asio::awaitable<void> report_refused(Services& services, const access::Grant& grant, RunId id,
                                     run::EventType type, std::string outcome);

// The same for the outcome of a cancel; a cancel that had an effect is not reported.
asio::awaitable<void> report_cancel(Services& services, const access::Grant& grant, RunId id,
                                    dispatch::CancelOutcome outcome);

// Counts a cancel or a delete that the caller has no permission for. It is not reported: a caller
// that may only read must not be able to write to the log.
void count_forbidden(Services& services, const wire::Operation& operation);

}  // namespace drover::api
