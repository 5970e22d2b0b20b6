#include <array>

#include "wire/shapes.h"

namespace drover::wire {
namespace {

constexpr auto kShapes = std::to_array<Shape>({
    {"LimitHeld", R"({
  "type": "object", "required": ["value", "by"],
  "properties": {"value": {"type": "number"}, "by": {"type": "string"}, "then": {"type": "string"}}})"},
    {"LimitsHeld", R"({
  "type": "object",
  "description": "The limits of a run, and how each is enforced.",
  "properties": {"memory": {"$ref": "#/components/schemas/LimitHeld"},
                 "cpus": {"$ref": "#/components/schemas/LimitHeld"},
                 "pids": {"$ref": "#/components/schemas/LimitHeld"},
                 "nice": {"$ref": "#/components/schemas/LimitHeld"},
                 "output": {"$ref": "#/components/schemas/LimitHeld"}}})"},
    {"Receipt", R"({
  "type": ["object", "null"],
  "description": "The signals that were sent to stop a run, and their effect.",
  "properties": {
    "term_at": {"$ref": "#/components/schemas/TimeOrNull"},
    "kill_at": {"$ref": "#/components/schemas/TimeOrNull"},
    "signalled": {"type": "integer"}, "orphans": {"type": "integer"},
    "survivors": {"type": "integer"},
    "confirmed_by": {"enum": ["no_children", "empty_cgroup"]}, "drained": {"type": "boolean"},
    "dropped_bytes": {"type": "integer"},
    "killed": {"type": "array", "items": {"type": "string"}},
    "survived": {"type": "array", "items": {"type": "string"}},
    "cpu_user_ms": {"type": "integer"}, "cpu_system_ms": {"type": "integer"},
    "read_bytes": {"type": "integer"}, "written_bytes": {"type": "integer"},
    "memory_peak_bytes": {"type": "integer"},
    "limits": {"$ref": "#/components/schemas/LimitsHeld"}}})"},
    {"Links", R"({
  "type": "object", "required": ["self", "events", "logs", "cancel"],
  "properties": {"self": {"type": "string"}, "events": {"type": "string"},
                 "logs": {"type": "string"}, "cancel": {"type": "string"}}})"},
    {"Usage", R"({
  "type": ["object", "null"],
  "properties": {"processes": {"type": "integer"}, "cpu_ms": {"type": "integer"},
                 "rss_bytes": {"type": "integer"}, "read_bytes": {"type": ["integer", "null"]},
                 "written_bytes": {"type": ["integer", "null"]}}})"},
    {"OutputGrowth", R"({
  "type": ["object", "null"], "required": ["bytes", "lines", "at"],
  "description": "How much the run had printed. lines is null if the daemon was restarted since.",
  "properties": {"bytes": {"type": "integer"}, "lines": {"type": ["integer", "null"]},
                 "at": {"$ref": "#/components/schemas/Time"}}})"},
    {"Progress", R"({
  "type": "object", "required": ["percent", "text", "done", "total", "at", "output"],
  "description": "The last progress that the run has reported, and the growth of its output.",
  "properties": {
    "percent": {"type": ["integer", "null"]},
    "text": {"$ref": "#/components/schemas/TextOrNull"},
    "done": {"type": ["integer", "null"]}, "total": {"type": ["integer", "null"]},
    "at": {"$ref": "#/components/schemas/TimeOrNull"},
    "output": {"$ref": "#/components/schemas/OutputGrowth"}}})"},
    {"ProgressOutcome", R"({
  "type": "object", "required": ["run_id", "outcome"],
  "properties": {"run_id": {"$ref": "#/components/schemas/RunId"},
                 "outcome": {"type": "string", "enum": ["recorded", "deferred"]}}})"},
    {"Run", R"({
  "type": "object",
  "required": ["run_id", "trace_id", "kind", "scope", "state", "command", "cwd", "lane", "queued_at"],
  "properties": {
    "run_id": {"$ref": "#/components/schemas/RunId"},
    "trace_id": {"type": "string"},
    "kind": {"type": "string"}, "scope": {"type": "string"},
    "name": {"$ref": "#/components/schemas/TextOrNull"},
    "state": {"$ref": "#/components/schemas/State"},
    "reason": {"$ref": "#/components/schemas/TextOrNull"},
    "origin": {"$ref": "#/components/schemas/TextOrNull"},
    "message": {"$ref": "#/components/schemas/TextOrNull"},
    "exit_code": {"type": ["integer", "null"]}, "signal": {"type": ["integer", "null"]},
    "launch_step": {"$ref": "#/components/schemas/TextOrNull"},
    "launch_error": {"$ref": "#/components/schemas/TextOrNull"},
    "command": {"type": "array", "items": {"type": "string"}},
    "cwd": {"type": "string"},
    "labels": {"$ref": "#/components/schemas/Labels"},
    "lane": {"type": "string"}, "attempt": {"type": "integer"}, "priority": {"type": "integer"},
    "after": {"$ref": "#/components/schemas/RunNames"},
    "after_any": {"$ref": "#/components/schemas/RunNames"},
    "held": {"type": "boolean"},
    "not_before": {"$ref": "#/components/schemas/Time"},
    "retry": {"$ref": "#/components/schemas/Retry"},
    "retry_of": {"type": "string"}, "retried_by": {"type": "string"},
    "parent_run_id": {"$ref": "#/components/schemas/TextOrNull"},
    "queued_at": {"$ref": "#/components/schemas/TimeOrNull"},
    "started_at": {"$ref": "#/components/schemas/TimeOrNull"},
    "finished_at": {"$ref": "#/components/schemas/TimeOrNull"},
    "duration_ms": {"type": ["integer", "null"]},
    "cpu_ms": {"type": "integer"}, "peak_rss_bytes": {"type": "integer"},
    "stdout_bytes": {"type": "integer"}, "stderr_bytes": {"type": "integer"},
    "cancel_requested": {"type": "boolean"},
    "limits": {"$ref": "#/components/schemas/LimitsHeld"},
    "receipt": {"$ref": "#/components/schemas/Receipt"},
    "output_bytes": {"type": "integer"},
    "progress": {"$ref": "#/components/schemas/Progress"},
    "stdin": {"type": "string", "enum": ["none", "pipe", "pty"]},
    "timeout_ms": {"type": "integer"}, "idle_timeout_ms": {"type": "integer"},
    "grace_ms": {"type": "integer"},
    "pty": {"type": ["object", "null"],
            "properties": {"rows": {"type": "integer"}, "cols": {"type": "integer"}}},
    "usage": {"$ref": "#/components/schemas/Usage"},
    "session": {"type": "object", "additionalProperties": true,
                "description": "The progress of a play."},
    "links": {"$ref": "#/components/schemas/Links"}}})"},
    {"Acknowledged", R"({
  "type": "object",
  "description": "A handle; with wait, the complete record.",
  "required": ["run_id", "trace_id", "state", "links"],
  "allOf": [{"$ref": "#/components/schemas/RunOrHandle"}]})"},
    {"RunOrHandle", R"({
  "type": "object",
  "properties": {
    "run_id": {"$ref": "#/components/schemas/RunId"},
    "trace_id": {"type": "string"},
    "state": {"$ref": "#/components/schemas/State"},
    "links": {"$ref": "#/components/schemas/Links"},
    "limits": {"$ref": "#/components/schemas/LimitsHeld"},
    "retry_of": {"type": "string"}, "attempt": {"type": "integer"}},
  "additionalProperties": true})"},
    {"Runs", R"({
  "type": "object", "required": ["runs", "next_cursor"],
  "properties": {"runs": {"type": "array", "items": {"$ref": "#/components/schemas/Run"}},
                 "next_cursor": {"$ref": "#/components/schemas/TextOrNull"}}})"},
    {"Event", R"({
  "type": "object",
  "required": ["cursor", "seq", "subject", "run_seq", "type", "time", "trace_id", "scope", "data"],
  "properties": {
    "cursor": {"$ref": "#/components/schemas/Cursor"}, "seq": {"type": "integer"},
    "subject": {"type": "string", "description": "The subject: run/ID, lane/NAME, token/ID, project/ID or request/RUN-ID."},
    "run_id": {"$ref": "#/components/schemas/RunId", "description": "Set if the subject is a run."}, "run_seq": {"type": "integer"},
    "type": {"type": "string", "examples": ["run.completed"]},
    "time": {"$ref": "#/components/schemas/Time"},
    "trace_id": {"type": "string"}, "scope": {"type": "string"},
    "data": {"type": "object", "additionalProperties": true}}})"},
    {"Lagged", R"({
  "description": "The log does not continue at the cursor that was sent, because an older database was restored: the events that it followed are lost. This page starts at `cursor`.",
  "type": "object", "required": ["missed", "cursor"],
  "properties": {"missed": {"type": "integer"}, "cursor": {"$ref": "#/components/schemas/Cursor"}}})"},
    {"Events", R"({
  "type": "object", "required": ["events", "next"],
  "properties": {"events": {"type": "array", "items": {"$ref": "#/components/schemas/Event"}},
                 "next": {"$ref": "#/components/schemas/Cursor"},
                 "lagged": {"$ref": "#/components/schemas/Lagged"}}})"},
    {"Obstacles", R"({
  "description": "The reasons why a queued run has not started.",
  "type": "array", "items": {
    "type": "object", "required": ["kind", "text"],
    "properties": {"kind": {"type": "string"}, "text": {"type": "string"},
                   "runs": {"$ref": "#/components/schemas/RunNames"},
                   "until": {"$ref": "#/components/schemas/Time"},
                   "since": {"$ref": "#/components/schemas/Time"}}}})"},
    {"Why", R"({
  "type": "object", "required": ["run_id", "state", "lane", "priority"],
  "description": "The obstacles of a queued run, the diagnosis of a running one, or the end of a finished one.",
  "properties": {
    "run_id": {"$ref": "#/components/schemas/RunId"},
    "state": {"$ref": "#/components/schemas/State"},
    "lane": {"type": "string"}, "priority": {"type": "integer"},
    "ahead": {"type": ["integer", "null"]},
    "obstacles": {"$ref": "#/components/schemas/Obstacles"},
    "session": {"description": "The progress of a play.",
                "type": ["object", "null"], "additionalProperties": true},
    "child": {"description": "The current run of an active play.",
              "type": ["object", "null"], "required": ["run_id", "kind", "state"],
              "properties": {"run_id": {"$ref": "#/components/schemas/RunId"},
                             "kind": {"type": "string"},
                             "state": {"$ref": "#/components/schemas/State"},
                             "obstacles": {"$ref": "#/components/schemas/Obstacles"}}},
    "end": {"type": "object", "additionalProperties": true},
    "progress": {"$ref": "#/components/schemas/Progress"},
    "diagnosis": {"type": ["object", "null"], "additionalProperties": true}}})"},
});

}  // namespace

std::span<const Shape> shapes_of_runs() {
  return kShapes;
}

}  // namespace drover::wire
