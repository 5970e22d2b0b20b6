#include <array>

#include "wire/shapes.h"

namespace drover::wire {
namespace {

constexpr auto kShapes = std::to_array<Shape>({
    {"Text", R"({"type": "string"})"},
    {"Flag", R"({"type": "boolean"})"},
    {"Count", R"({"type": "integer", "minimum": 0})"},
    {"PageSize", R"({"type": "integer", "minimum": 1, "maximum": 1000})"},
    {"TimelineSize", R"({"type": "integer", "minimum": 1, "maximum": 5000, "default": 2000})"},
    {"Cursor",
     R"({"type": "string", "description": "Opaque: send back the value from an answer."})"},
    {"Duration",
     R"({"type": "string", "pattern": "^([0-9]+([.][0-9]+)?(ms|s|m|h|d))+$", "examples": ["30s", "1h30m"]})"},
    {"Size", R"({"description": "A number of bytes, with an optional unit such as 512M.",
                 "type": ["string", "integer"], "examples": ["512M"]})"},
    {"TimeOrAge", R"({"type": "string", "description": "A time, or a duration before now.",
                  "examples": ["2026-11-15T09:58:25Z", "2h"]})"},
    {"Time", R"({"type": "string", "format": "date-time"})"},
    {"TimeOrNull", R"({"type": ["string", "null"], "format": "date-time"})"},
    {"TextOrNull", R"({"type": ["string", "null"]})"},
    {"RunId", R"({"type": "string", "pattern": "^run_[0-9a-z]{26}$"})"},
    {"Labels", R"({"type": "object", "additionalProperties": {"type": "string"}})"},
    {"LabelFilter",
     R"({"type": "array", "items": {"type": "string"}, "examples": [["team=core"]]})"},
    {"Topics", R"({"type": "array", "items": {"type": "string"}})"},
    {"RunNames", R"({"type": "array", "items": {"type": "string"}})"},
    {"State", R"({"type": "string", "enum": ["queued", "starting", "running", "completed", "failed",
                  "canceled", "timed_out", "abandoned"]})"},
    {"Stream", R"({"type": "string", "enum": ["stdout", "stderr"]})"},
    {"StreamFormat", R"({"type": "string", "enum": ["sse", "frames"]})"},
    {"LogFormat", R"({"type": "string", "enum": ["raw", "ndjson"]})"},
    {"ScreenFormat", R"({"type": "string", "enum": ["text", "ansi"]})"},
});

}  // namespace

std::span<const Shape> shapes_of_words() {
  return kShapes;
}

}  // namespace drover::wire
