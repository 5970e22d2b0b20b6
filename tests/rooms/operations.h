// The operation of the room parcels, shared by its daemon and its command line.
#pragma once

#include "wire/area.h"

namespace drover::parcels {

inline constexpr auto kShapes = std::to_array<wire::Shape>({{"SentParcel", R"({
  "type": "object", "required": ["parcel", "run_id"],
  "properties": {"parcel": {"type": "string"}, "run_id": {"$ref": "#/components/schemas/RunId"}}})"}});
inline std::span<const wire::Shape> shapes() {
  return kShapes;
}
inline constexpr auto kShapeLists = std::to_array<wire::ShapeList>({shapes});
inline constexpr auto kHeaders = std::to_array<wire::Header>({wire::kIdempotencyKey});
inline constexpr auto kSent =
    std::to_array<wire::Answer>({{202, wire::kJson, "SentParcel", "it will"}});

inline constexpr wire::Operation send{.name = "parcels.send",
                                      .method = "POST",
                                      .path = "/api/parcels/{parcel}",
                                      .subject = "the name of a parcel",
                                      .help = "send a parcel",
                                      .headers = kHeaders,
                                      .answers = kSent};
inline constexpr auto kOperations = std::to_array<const wire::Operation*>({&send});
inline constexpr auto kTags = std::to_array<wire::Tag>({{"parcels", "what is sent"}});
inline constexpr wire::Area kArea{kOperations, kTags, kShapeLists};
static_assert(wire::is_sound(kArea));

}  // namespace drover::parcels
