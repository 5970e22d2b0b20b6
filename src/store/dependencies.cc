#include "store/dependencies.h"

namespace drover::store {

DependencyStatus dependency_status(const run::Record& record) {
  return {.known = true, .state = record.state, .retried_by = record.retried_by};
}

}  // namespace drover::store
