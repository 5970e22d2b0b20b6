// A RefusedRequest is a cancel or a delete that changed nothing: it was refused, or it repeated an
// earlier one. An event reports it to subscribers (R12).
//
// While the run is active, the event is one of the run's own. After the run's final event, which
// is the last of its own (H7), the subject is `request/<run id>`: only readers of the whole event
// log see it then. At most limits::kRefusalsReportedMax events of each type are written for a run,
// so a loop of cancels cannot grow the log. If the run's readers may not see who asked, a second
// event `request.caller` tells the owner.
#pragma once

#include <string>

#include "run/event.h"
#include "store/transaction.h"

namespace drover::store {

struct RefusedRequest {
  RunId run;
  std::string trace_id;  // Of the run.
  std::string scope;     // Of the run: its readers see the event.
  run::EventType type;   // cancel_repeated, cancel_refused or delete_refused.
  std::string by;        // The caller, as every reader of the run may see it: a JSON object.
  std::string outcome;   // The answer that the caller got.
  // The caller with all that is known of it, for the owner: a JSON object. Empty: `by` is all.
  std::string caller = {};
};

// Appends the event, unless there are enough of its type. Changes neither the state of the run nor
// anything else that its record shows.
Work report_refused(RefusedRequest request);

}  // namespace drover::store
