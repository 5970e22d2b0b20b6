#include <array>

#include "wire/play/operations.h"

namespace drover::wire::play {
namespace {

constexpr auto kSchemas = std::to_array<Shape>({
    {"ProjectAsked", R"({
  "type": "object", "additionalProperties": false, "required": ["root"],
  "properties": {"root": {"description": "The directory of the project: an absolute path.",
                          "$ref": "#/components/schemas/Word"}}})"},
    {"SessionState", R"({
  "type": "string", "enum": ["idle", "preparing", "prepare_failed", "connecting", "running",
                             "runtime_failed", "stopped"]})"},
    {"Project", R"({
  "type": "object", "required": ["project", "root", "added_at", "state", "run_id"],
  "properties": {"project": {"type": "string"},
                 "name": {"$ref": "#/components/schemas/TextOrNull"},
                 "version": {"$ref": "#/components/schemas/TextOrNull"},
                 "trouble": {"description": "The reason why its drover.toml cannot be read.",
                             "$ref": "#/components/schemas/TextOrNull"},
                 "steps": {"type": "array", "items": {"type": "string"}},
                 "root": {"$ref": "#/components/schemas/Word"},
                 "added_at": {"$ref": "#/components/schemas/Time"},
                 "state": {"$ref": "#/components/schemas/SessionState"},
                 "run_id": {"$ref": "#/components/schemas/TextOrNull"}}})"},
    {"Projects", R"({
  "type": "object", "required": ["projects"],
  "properties": {"projects": {"type": "array", "items": {"$ref": "#/components/schemas/Project"}}}})"},
    {"ProjectRemoved", R"({
  "type": "object", "required": ["project", "outcome"],
  "properties": {"project": {"type": "string"}, "outcome": {"type": "string", "enum": ["removed"]}}})"},
    {"Session", R"({
  "type": "object",
  "required": ["project", "state", "run_id", "step", "code", "message", "runs", "runtime_run_id",
               "started_at", "finished_at", "exit_code", "signal"],
  "properties": {
    "project": {"type": "string"},
    "state": {"$ref": "#/components/schemas/SessionState"},
    "run_id": {"$ref": "#/components/schemas/TextOrNull"},
    "step": {"$ref": "#/components/schemas/TextOrNull"},
    "code": {"$ref": "#/components/schemas/TextOrNull"},
    "message": {"$ref": "#/components/schemas/TextOrNull"},
    "runs": {"type": "object", "additionalProperties": {"type": "string"}},
    "runtime_run_id": {"$ref": "#/components/schemas/TextOrNull"},
    "started_at": {"$ref": "#/components/schemas/TimeOrNull"},
    "finished_at": {"$ref": "#/components/schemas/TimeOrNull"},
    "exit_code": {"type": ["integer", "null"]},
    "signal": {"type": ["integer", "null"]},
    "obstacles": {"$ref": "#/components/schemas/Obstacles"}}})"},
    {"PlayAnswer", R"({
  "type": "object", "required": ["ignored", "session"],
  "properties": {"ignored": {"type": "boolean"}, "why": {"type": "string"},
                 "session": {"$ref": "#/components/schemas/Session"}}})"},
    {"PlayStopAsked", R"({
  "type": "object", "additionalProperties": false,
  "properties": {"run_id": {"description": "Stop only this play.",
                            "$ref": "#/components/schemas/RunId"}}})"},
    {"PlayLogLines", R"({
  "type": "string", "contentMediaType": "application/x-ndjson",
  "description": "One entry per line.",
  "contentSchema": {"$ref": "#/components/schemas/PlayLogEntry"}})"},
    {"PlayLogEntry", R"({
  "type": "object", "required": ["seq", "source", "severity", "stream", "time"],
  "properties": {
    "seq": {"type": "integer", "minimum": 0, "maximum": 9007199254740991,
            "description": "The value for `after`."},
    "source": {"type": "string",
               "enum": ["build", "pack-validation", "pack", "manifest", "runtime", "play"]},
    "severity": {"$ref": "#/components/schemas/Severity"},
    "stream": {"$ref": "#/components/schemas/Stream"},
    "time": {"$ref": "#/components/schemas/Time"},
    "text": {"type": "string", "description": "The line, without its newline."},
    "base64": {"type": "string", "contentEncoding": "base64",
               "description": "Used instead of text if the line is not UTF-8."},
    "code": {"type": "string", "description": "The reason of a failure, in entries of `play`."},
    "gap": {
      "type": "object", "required": ["from", "to"],
      "description": "Not a line: these bytes of the source's output are not kept; text says so.",
      "properties": {"from": {"type": "integer", "minimum": 0, "description": "The first byte."},
                     "to": {"type": "integer", "minimum": 0,
                            "description": "The offset after the last byte."}}},
    "diagnostic": {
      "type": "object", "required": ["severity", "message", "blocking"],
      "properties": {"severity": {"$ref": "#/components/schemas/Severity"},
                     "message": {"type": "string"}, "blocking": {"type": "boolean"},
                     "file": {"type": "string"}, "line": {"type": "integer"}}}}})"},
    {"Severity", R"({
  "type": "string", "enum": ["debug", "info", "warning", "error"]})"},
    {"FeedEntry", R"({
  "type": "object",
  "required": ["cursor", "time", "run_id", "project", "state", "step", "code", "message"],
  "properties": {"cursor": {"$ref": "#/components/schemas/Cursor"},
                 "time": {"$ref": "#/components/schemas/Time"},
                 "run_id": {"$ref": "#/components/schemas/RunId"},
                 "project": {"type": "string"},
                 "state": {"$ref": "#/components/schemas/SessionState"},
                 "step": {"$ref": "#/components/schemas/TextOrNull"},
                 "code": {"$ref": "#/components/schemas/TextOrNull"},
                 "message": {"$ref": "#/components/schemas/TextOrNull"}}})"},
    {"Feed", R"({
  "type": "object", "required": ["entries", "next"],
  "properties": {"entries": {"type": "array", "items": {"$ref": "#/components/schemas/FeedEntry"}},
                 "next": {"$ref": "#/components/schemas/Cursor"},
                 "lagged": {"$ref": "#/components/schemas/Lagged"}}})"},
});

}  // namespace

std::span<const Shape> shapes() {
  return kSchemas;
}

}  // namespace drover::wire::play
