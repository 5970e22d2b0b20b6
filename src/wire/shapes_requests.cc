#include <array>

#include "wire/shapes.h"

namespace drover::wire {
namespace {

// Requests with unknown fields are refused, so these shapes forbid additional properties.
constexpr auto kShapes = std::to_array<Shape>({
    {"Word", R"({
  "description": "A string, or bytes that are not UTF-8.",
  "oneOf": [
    {"type": "string"},
    {"type": "object", "required": ["base64"], "additionalProperties": false,
     "properties": {"base64": {"type": "string", "contentEncoding": "base64"}}}]})"},
    {"Environment", R"({
  "type": "object", "additionalProperties": {"type": "string"},
  "description": "Variables of the run. With inherit_env, their values are never shown. Without it, these are the values of the variables that DROVER_SECRET_ENV names, separated by commas, and of those whose names say that they are secret."})"},
    {"TerminalSize", R"({
  "type": "object", "additionalProperties": false,
  "properties": {"rows": {"type": "integer", "minimum": 1, "maximum": 500},
                 "cols": {"type": "integer", "minimum": 1, "maximum": 1000}}})"},
    {"LimitsAsked", R"({
  "type": "object", "additionalProperties": false,
  "properties": {
    "memory": {"$ref": "#/components/schemas/Size"},
    "cpus": {"type": "number", "exclusiveMinimum": 0},
    "pids": {"type": "integer", "minimum": 1},
    "nice": {"type": "integer", "minimum": -20, "maximum": 19},
    "output": {"$ref": "#/components/schemas/Size"},
    "on_output": {"type": "string", "enum": ["keep", "end"]}}})"},
    {"Retry", R"({
  "type": "object", "additionalProperties": false,
  "properties": {
    "max": {"type": "integer", "minimum": 0},
    "backoff": {"$ref": "#/components/schemas/Duration"},
    "on": {"type": "array", "items": {"type": "string", "enum": ["failed", "timed_out", "abandoned"]}}}})"},
    {"RunAsked", R"({
  "type": "object", "additionalProperties": false,
  "description": "Give either command or shell.",
  "properties": {
    "command": {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/Word"}},
    "shell": {"type": "string", "description": "A script for /bin/sh -c."},
    "cwd": {"type": "string", "description": "An absolute path."},
    "env": {"$ref": "#/components/schemas/Environment"},
    "inherit_env": {"type": "boolean", "default": true},
    "name": {"type": "string"},
    "labels": {"$ref": "#/components/schemas/Labels"},
    "lane": {"type": "string", "default": "default"},
    "scope": {"type": "string", "default": "default"},
    "timeout": {"$ref": "#/components/schemas/Duration"},
    "idle_timeout": {"$ref": "#/components/schemas/Duration"},
    "grace": {"$ref": "#/components/schemas/Duration"},
    "stdin": {"type": "string", "enum": ["none", "pipe", "pty"], "default": "none"},
    "exact_output": {"type": "boolean", "default": false,
      "description": "A client reads all of the output, with format=frames and exact=true."},
    "pty": {"oneOf": [{"type": ["boolean", "null"]}, {"$ref": "#/components/schemas/TerminalSize"}]},
    "priority": {"type": "integer", "minimum": -100, "maximum": 100, "default": 0},
    "after": {"$ref": "#/components/schemas/RunNames"},
    "after_any": {"$ref": "#/components/schemas/RunNames"},
    "retry": {"$ref": "#/components/schemas/Retry"},
    "limits": {"$ref": "#/components/schemas/LimitsAsked"},
    "on_restart": {"type": "string", "enum": ["requeue", "fail"], "default": "requeue"}}})"},
    {"CancelAsked", R"({
  "type": "object", "additionalProperties": false,
  "properties": {"grace": {"$ref": "#/components/schemas/Duration"}}})"},
    {"ScopeCancelAsked", R"({
  "type": "object", "additionalProperties": false, "required": ["scope"],
  "properties": {"scope": {"type": "string"}}})"},
    {"SignalAsked", R"({
  "type": "object", "additionalProperties": false, "required": ["signal"],
  "properties": {"signal": {"type": ["string", "integer"], "examples": ["TERM"]}}})"},
    {"ResizeAsked", R"({
  "type": "object", "additionalProperties": false, "required": ["rows", "cols"],
  "properties": {"rows": {"type": "integer", "minimum": 1, "maximum": 500},
                 "cols": {"type": "integer", "minimum": 1, "maximum": 1000}}})"},
    {"ProgressSaid", R"({
  "type": "object", "additionalProperties": false, "minProperties": 1,
  "properties": {"percent": {"type": "integer", "minimum": 0, "maximum": 100},
                 "text": {"type": "string", "maxLength": 500},
                 "done": {"type": "integer", "minimum": 0},
                 "total": {"type": "integer", "minimum": 1}}})"},
    {"MoveAsked", R"({
  "type": "object", "additionalProperties": false, "minProperties": 1,
  "properties": {"lane": {"type": "string"},
                 "priority": {"type": "integer", "minimum": -100, "maximum": 100}}})"},
    {"RetryAsked", R"({
  "type": "object", "additionalProperties": false,
  "properties": {"env": {"$ref": "#/components/schemas/Environment"},
                 "inherit_env": {"type": "boolean", "default": true}}})"},
    {"LaneAsked", R"({
  "type": "object", "additionalProperties": false, "minProperties": 1,
  "properties": {"limit": {"type": "integer", "minimum": 1, "maximum": 100000},
                 "paused": {"type": "boolean"}, "draining": {"type": "boolean"}}})"},
    {"TokenAsked", R"({
  "type": "object", "additionalProperties": false,
  "properties": {"scope": {"type": "string"}, "ttl": {"$ref": "#/components/schemas/Duration"},
                 "can": {"type": ["string", "array"], "items": {"type": "string"},
                         "default": "read", "examples": ["read,run,cancel"]},
                 "label": {"type": "string", "maxLength": 200}}})"},
    {"Nothing", R"({"type": "object", "additionalProperties": false})"},
    {"StopAsked", R"({
  "type": "object", "additionalProperties": false,
  "properties": {"kill": {"type": "boolean", "default": false}}})"},
});

}  // namespace

std::span<const Shape> shapes_of_requests() {
  return kShapes;
}

}  // namespace drover::wire
