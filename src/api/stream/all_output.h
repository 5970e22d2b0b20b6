// A stream of the events and the output of all runs that its reader may see (R12). It follows the
// output of every run that is running, up to a limit (limits::kOutputRunsMax). The output of a run
// beyond the limit is sent when the run finishes, and the stream says so at once. All output of a
// run comes before its final event.
//
// Its memory is bounded: a page of events, the offset in each run's output, and the text of one
// write. Like every stream it reads when its client can take more (live_stream.h), so a slow client
// slows no run; output that was rotated away meanwhile is a gap with its exact bounds.
//
// The cursor has the offset in the output of every run that is followed (cursor.h):
// "17-0a1b2c3d,run_a:4096,run_b:10".
#pragma once

#include <memory>

#include "api/stream/sse.h"

namespace drover::api {

std::unique_ptr<BodyStream> follow_all_output(Services& services, RequestClient& client,
                                              Follow follow);

}  // namespace drover::api
