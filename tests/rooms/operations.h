// The operation of the room bells, shared by its daemon and its command line.
#pragma once

#include "wire/area.h"

namespace drover::bells {

inline constexpr auto kShapes = std::to_array<wire::Shape>({{"Rung", R"({
  "type": "object", "required": ["bell", "run_id"],
  "properties": {"bell": {"type": "string"}, "run_id": {"$ref": "#/components/schemas/RunId"}}})"}});
inline std::span<const wire::Shape> shapes() {
  return kShapes;
}
inline constexpr auto kShapeLists = std::to_array<wire::ShapeList>({shapes});
inline constexpr auto kHeaders = std::to_array<wire::Header>({wire::kIdempotencyKey});
inline constexpr auto kRung = std::to_array<wire::Answer>({{202, wire::kJson, "Rung", "it will"}});

inline constexpr wire::Operation ring{.name = "bells.ring",
                                      .method = "POST",
                                      .path = "/api/bells/{bell}",
                                      .subject = "the name of a bell",
                                      .help = "ring a bell",
                                      .headers = kHeaders,
                                      .answers = kRung};
inline constexpr auto kOperations = std::to_array<const wire::Operation*>({&ring});
inline constexpr auto kTags = std::to_array<wire::Tag>({{"bells", "what rings"}});
inline constexpr wire::Area kArea{kOperations, kTags, kShapeLists};
static_assert(wire::is_sound(kArea));

}  // namespace drover::bells
