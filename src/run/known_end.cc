#include "run/known_end.h"

#include <utility>

namespace drover::run {

KnownEnd end_with(State state, Reason reason, std::string message, WallMs finished_at) {
  KnownEnd end;
  end.record.state = state;
  end.record.reason = reason;
  end.record.origin = Origin::host;
  end.record.message = std::move(message);
  end.record.finished_at = finished_at;
  return end;
}

}  // namespace drover::run
