#include <array>

#include "wire/shapes.h"

namespace drover::wire {
namespace {

constexpr auto kShapes = std::to_array<Shape>({
    {"Error", R"({
  "type": "object", "required": ["error"], "additionalProperties": true,
  "properties": {"error": {
    "type": "object", "required": ["code", "message", "type"],
    "properties": {"code": {"type": "string", "examples": ["not_found"]},
                   "message": {"type": "string"},
                   "type": {"type": "string", "examples": ["not_found_error"]},
                   "param": {"type": "string", "examples": ["run_id"]},
                   "details": {"description": "If a removed run was requested, this is its status.",
                               "type": "object", "additionalProperties": true},
                   "request_id": {"type": "string"}}}}})"},
    {"Outcome", R"({
  "type": "object", "required": ["run_id", "outcome"],
  "properties": {"run_id": {"$ref": "#/components/schemas/RunId"},
                 "outcome": {"type": "string",
                   "enum": ["cancel_requested", "canceled", "already_finished", "deleted"]},
                 "receipt": {"$ref": "#/components/schemas/Receipt"}}})"},
    {"ScopeOutcomes", R"({
  "type": "object", "required": ["scope", "outcomes"],
  "properties": {"scope": {"type": "string"},
                 "outcomes": {"type": "object", "additionalProperties": {"type": "integer"}}}})"},
    {"InputTaken", R"({
  "type": "object", "required": ["run_id", "accepted"],
  "properties": {"run_id": {"$ref": "#/components/schemas/RunId"}, "accepted": {"type": "integer"}}})"},
    {"SignalSent", R"({
  "type": "object", "required": ["run_id", "signal"],
  "properties": {"run_id": {"$ref": "#/components/schemas/RunId"}, "signal": {"type": "integer"}}})"},
    {"Resized", R"({
  "type": "object", "required": ["run_id", "rows", "cols"],
  "properties": {"run_id": {"$ref": "#/components/schemas/RunId"},
                 "rows": {"type": "integer"}, "cols": {"type": "integer"}}})"},
    {"Lane", R"({
  "type": "object", "required": ["name", "limit", "active", "queued", "paused_at", "draining_at"],
  "properties": {"name": {"type": "string"}, "limit": {"type": "integer"},
                 "active": {"type": "integer"}, "queued": {"type": "integer"},
                 "paused_at": {"$ref": "#/components/schemas/TimeOrNull"},
                 "draining_at": {"$ref": "#/components/schemas/TimeOrNull"}}})"},
    {"Lanes", R"({
  "type": "object", "required": ["lanes"],
  "properties": {"lanes": {"type": "array", "items": {"$ref": "#/components/schemas/Lane"}}}})"},
    {"LaneRemoved", R"({
  "type": "object", "required": ["name", "outcome"],
  "properties": {"name": {"type": "string"}, "outcome": {"type": "string", "enum": ["removed"]}}})"},
    {"DaemonStatus", R"({
  "type": "object", "required": ["pid", "version", "home", "socket", "started_at"],
  "additionalProperties": true,
  "properties": {"pid": {"type": "integer"}, "version": {"type": "string"},
                 "home": {"type": "object", "additionalProperties": {"type": "string"}},
                 "socket": {"type": "string"}, "url": {"$ref": "#/components/schemas/TextOrNull"},
                 "url_trouble": {"$ref": "#/components/schemas/TextOrNull"},
                 "started_at": {"$ref": "#/components/schemas/Time"},
                 "runs_active": {"type": "integer"}, "runs_queued": {"type": "integer"},
                 "keeps_running_for": {"type": "array",
                   "description": "The reasons why the daemon keeps running: active runs, and active things of its rooms.",
                   "items": {"type": "object", "required": ["what", "count"], "properties": {
                     "what": {"type": "string"}, "count": {"type": "integer"},
                     "next_at": {"$ref": "#/components/schemas/Time"}}}},
                 "limits": {"type": "object",
                            "properties": {"memory": {"type": "string"}, "cpus": {"type": "string"},
                                           "pids": {"type": "string"},
                                           "no_cgroups": {"$ref": "#/components/schemas/TextOrNull"}}},
                 "store": {"type": "object", "additionalProperties": {"type": "string"}},
                 "restored": {"description": "Set if an older database was restored: the last time.",
                              "type": "object", "required": ["at", "database_seq", "known_seq", "runs"],
                              "properties": {"at": {"$ref": "#/components/schemas/Time"},
                                             "database_seq": {"type": "integer"},
                                             "known_seq": {"type": "integer"},
                                             "runs": {"description": "Runs that were taken up from their files.",
                                                      "type": "integer"}}},
                 "slow_loop": {"description": "Set if the daemon has kept all clients waiting for longer than its bound.",
                               "type": "object", "required": ["times", "longest_ms", "bound_ms"],
                               "properties": {"times": {"type": "integer"},
                                              "longest_ms": {"type": "integer"},
                                              "bound_ms": {"type": "integer"}}},
                 "sizes": {"type": "object", "additionalProperties": {"type": "integer"}},
                 "followers": {"type": "array",
                               "items": {"$ref": "#/components/schemas/Follower"}}}})"},
    {"Stopping", R"({
  "type": "object", "required": ["pid", "outcome", "kill"],
  "properties": {"pid": {"type": "integer"}, "outcome": {"type": "string", "enum": ["stopping"]},
                 "kill": {"type": "boolean"},
                 "left_alone": {"description": "With kill: active runs of kinds that the daemon does not know.",
                                "type": "integer"}}})"},
    {"Probed", R"({
  "type": "object", "required": ["outcome", "took_ms"],
  "properties": {"outcome": {"type": "string", "enum": ["ended"]},
                 "took_ms": {"description": "From its request to the record of its end.",
                             "type": "integer"}}})"},
    {"RunStatus", R"({
  "type": "object",
  "required": ["object", "run_id", "trace_id", "status", "source", "acknowledged_at", "started_at",
               "launched_at", "completed_at", "terminal_reason", "failure", "links"],
  "properties": {
    "object": {"type": "string", "enum": ["run_status"]},
    "run_id": {"$ref": "#/components/schemas/RunId"},
    "trace_id": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
    "status": {"type": "string", "enum": ["active", "completed", "failed", "cancelled", "abandoned"]},
    "source": {"type": "object", "required": ["kind", "id"],
               "description": "The launcher of the run.",
               "properties": {
                 "kind": {"type": "string",
                          "enum": ["command", "project", "trigger", "app", "session", "batch"]},
                 "id": {"type": "string"}}},
    "acknowledged_at": {"$ref": "#/components/schemas/Time"},
    "started_at": {"$ref": "#/components/schemas/Time",
                   "description": "A run starts when it is accepted: the same as acknowledged_at."},
    "launched_at": {"$ref": "#/components/schemas/TimeOrNull",
                    "description": "The time when its process was started; null if none was. A play has no process of its own: always null."},
    "completed_at": {"$ref": "#/components/schemas/TimeOrNull"},
    "terminal_reason": {"$ref": "#/components/schemas/TextOrNull"},
    "failure": {"type": ["object", "null"],
                "properties": {"reason": {"type": "string"}, "origin": {"type": "string"},
                               "message": {"$ref": "#/components/schemas/TextOrNull"}}},
    "links": {"type": "object", "required": ["timeline"],
              "properties": {"timeline": {"type": "string"}}}}})"},
    {"Timeline", R"({
  "type": "object", "required": ["object", "run_id", "terminal_status", "next_cursor", "events"],
  "properties": {"object": {"type": "string", "enum": ["run_timeline"]},
                 "run_id": {"$ref": "#/components/schemas/RunId"},
                 "terminal_status": {"$ref": "#/components/schemas/TextOrNull"},
                 "next_cursor": {"$ref": "#/components/schemas/TextOrNull"},
                 "events": {"type": "array", "items": {"$ref": "#/components/schemas/Event"}},
                 "lagged": {"$ref": "#/components/schemas/Lagged"}}})"},
    {"Health", R"({
  "type": "object", "required": ["status"],
  "properties": {"status": {"type": "string", "enum": ["ok", "ready"]}}})"},
    {"Token", R"({
  "type": "object",
  "required": ["token_id", "kind", "label", "scope", "can", "state", "created_at", "expires_at",
               "revoked_at"],
  "properties": {"token_id": {"type": "string"},
                 "kind": {"type": "string", "enum": ["token", "session"]},
                 "label": {"type": "string"}, "scope": {"$ref": "#/components/schemas/TextOrNull"},
                 "can": {"type": "string"},
                 "state": {"type": "string", "enum": ["valid", "expired", "revoked"]},
                 "created_at": {"$ref": "#/components/schemas/Time"},
                 "expires_at": {"$ref": "#/components/schemas/Time"},
                 "revoked_at": {"$ref": "#/components/schemas/TimeOrNull"},
                 "token": {"type": "string"}}})"},
    {"TokenMade", R"({"$ref": "#/components/schemas/Token"})"},
    {"Tokens", R"({
  "type": "object", "required": ["tokens"],
  "properties": {"tokens": {"type": "array", "items": {"$ref": "#/components/schemas/Token"}}}})"},
    {"TokenRevoked", R"({
  "type": "object", "required": ["token_id", "outcome"],
  "properties": {"token_id": {"type": "string"},
                 "outcome": {"type": "string", "enum": ["revoked"]}}})"},
    {"UiOpened", R"({
  "type": "object", "required": ["url", "link", "valid_ms"],
  "properties": {"url": {"type": "string"}, "link": {"type": "string"},
                 "valid_ms": {"type": "integer"}}})"},
    {"LoggedOut", R"({
  "type": "object", "required": ["outcome"],
  "properties": {"outcome": {"type": "string", "enum": ["logged_out", "no_session"]}}})"},
    {"Description", R"({"type": "object", "additionalProperties": true})"},
    {"Bytes", R"({"type": "string"})"},
});

}  // namespace

std::span<const Shape> shapes_of_answers() {
  return kShapes;
}

}  // namespace drover::wire
