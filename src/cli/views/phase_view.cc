#include "cli/views/phase_view.h"

#include "cli/fields.h"

namespace drover::cli {

const PhaseView* phase_view_of(std::span<const PhaseView> views, const boost::json::object& run) {
  for (const PhaseView& view : views) {
    if (!object_in(run, view.field).empty()) return &view;
  }
  return nullptr;
}

}  // namespace drover::cli
