// The dependencies of a submission (R17): the runs that it waits for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "access/grant.h"
#include "requests/fields.h"
#include "run/spec.h"
#include "store/reads.h"

namespace drover::api {

// The runs that a submission waits for, as they were named: as in a path (queries/resolve.h).
struct DependencyNames {
  std::vector<std::string> after = {};
  std::vector<std::string> after_any = {};
};

// Reports invalid values to `fields`. Does not look for the runs.
DependencyNames read_dependencies(requests::Fields& fields);

struct Dependencies {
  std::vector<RunId> after = {};
  std::vector<RunId> after_any = {};
  // If one does not resolve now: a repeated request with the same key does not need it.
  std::optional<Error> missing = {};
};
Result<Dependencies> find_dependencies(store::Reads& store, const access::Grant& grant,
                                       const DependencyNames& names);

}  // namespace drover::api
