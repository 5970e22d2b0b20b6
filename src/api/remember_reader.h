// Tells retention that a client reads the output of a run in pages: after a page that is not the
// last one, retention keeps the run for the next page (dispatch/files/page_readers.h).
#pragma once

#include "api/http/response.h"
#include "api/services.h"
#include "base/id.h"
#include "base/result.h"

namespace drover::api {

inline void remember_reader(const Services& services, const RunId& run,
                            const Result<Response>& page) {
  const bool returns = page && page->has_more;
  if (returns && services.page_readers != nullptr) services.page_readers->remember(run);
}

}  // namespace drover::api
