#include <array>

#include "wire/triggers/operations.h"

namespace drover::wire::triggers {
namespace {

constexpr auto kSchemas = std::to_array<Shape>({
    {"TriggerSource", R"({
  "type": "object", "required": ["type"],
  "description": "When the trigger fires. The other fields depend on the type.",
  "properties": {
    "type": {"type": "string", "enum": ["cron", "every", "once", "file", "webhook", "feed", "page", "event"]},
    "cron": {"type": "string", "description": "Five or six fields, or @daily and the like."},
    "tz": {"type": "string", "description": "The time zone of cron, such as Europe/Berlin; UTC if not set."},
    "every": {"$ref": "#/components/schemas/Duration"},
    "at": {"$ref": "#/components/schemas/Time"},
    "root": {"type": "string", "description": "The directory that file watches: an absolute path."},
    "globs": {"type": "array", "items": {"type": "string"}},
    "ignore": {"type": "array", "items": {"type": "string"}},
    "gitignore": {"type": "boolean", "default": true},
    "settle": {"$ref": "#/components/schemas/Duration"},
    "path": {"type": "string", "description": "Of a webhook: it is received at /hooks/PATH."},
    "secret": {"type": "string", "description": "Where its secret is: file:/path or env:NAME."},
    "url": {"type": "string", "description": "Of a feed or a page."},
    "selector": {"type": "string", "description": "The CSS selector of a page."},
    "interval": {"$ref": "#/components/schemas/Duration"},
    "allow_private": {"type": "boolean", "default": false},
    "on": {"description": "Of event: a type of events, such as run.failed or deploy.*. Of file: created, changed, deleted, moved.",
           "oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}}})"},
    {"TriggerFilter", R"({
  "oneOf": [{"type": "string", "description": "A rule as text, such as payload.size lt 1000."}, {"type": "object", "additionalProperties": false, "required": ["field", "op", "value"],
  "properties": {"field": {"type": "string"},
                 "op": {"type": "string", "enum": ["eq", "neq", "contains", "matches", "gt", "lt",
                                                   "gte", "lte", "in", "nin"]},
                 "value": {}}}]})"},
    {"TriggerRun", R"({
  "type": "object", "additionalProperties": false,
  "description": "The run that the trigger starts. Give either command or shell.",
  "properties": {
    "command": {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/Word"}},
    "shell": {"type": "string", "description": "A script for /bin/sh -c."},
    "cwd": {"type": "string", "description": "An absolute path."},
    "env": {"$ref": "#/components/schemas/Environment"},
    "name": {"type": "string"},
    "labels": {"$ref": "#/components/schemas/Labels"},
    "lane": {"type": "string", "default": "default"},
    "timeout": {"$ref": "#/components/schemas/Duration"},
    "idle_timeout": {"$ref": "#/components/schemas/Duration"},
    "grace": {"$ref": "#/components/schemas/Duration"},
    "priority": {"type": "integer", "minimum": -100, "maximum": 100, "default": 0},
    "retry": {"$ref": "#/components/schemas/Retry"},
    "limits": {"$ref": "#/components/schemas/LimitsAsked"},
    "on_restart": {"type": "string", "enum": ["requeue", "fail"], "default": "requeue"}}})"},
    {"TriggerAsked", R"({
  "type": "object", "additionalProperties": false, "required": ["name", "source", "run"],
  "properties": {
    "name": {"type": "string"},
    "source": {"$ref": "#/components/schemas/TriggerSource"},
    "filters": {"type": "array", "items": {"$ref": "#/components/schemas/TriggerFilter"}},
    "dedup": {"$ref": "#/components/schemas/Duration"},
    "missed": {"type": "string", "enum": ["once", "skip", "all"], "default": "once"},
    "missed_window": {"$ref": "#/components/schemas/Duration"},
    "jitter": {"$ref": "#/components/schemas/Duration"},
    "overlap": {"type": "string", "enum": ["skip", "queue", "replace"], "default": "skip"},
    "run": {"$ref": "#/components/schemas/TriggerRun"}}})"},
    {"TriggerChange", R"({
  "type": "object", "description": "Fields of TriggerAsked; fields of run replace those of the run."})"},
    {"FireAsked", R"({
  "type": "object", "additionalProperties": false,
  "properties": {"payload": {"description": "Any JSON, for the run."}}})"},
    {"LedgerOutcome", R"({
  "type": "string", "enum": ["pending", "fired", "skipped", "coalesced", "missed"]})"},
    {"LedgerEntry", R"({
  "type": "object",
  "required": ["due_at", "outcome", "reason", "run_id"],
  "properties": {
    "slot": {"description": "The due time; an entry of an event has event_id instead.",
             "$ref": "#/components/schemas/Time"},
    "event_id": {"type": "string"},
    "due_at": {"$ref": "#/components/schemas/Time"},
    "decided_at": {"$ref": "#/components/schemas/TimeOrNull"},
    "outcome": {"$ref": "#/components/schemas/LedgerOutcome"},
    "reason": {"$ref": "#/components/schemas/TextOrNull"},
    "run_id": {"$ref": "#/components/schemas/TextOrNull"},
    "count": {"type": "integer", "description": "An entry for many due times: how many, up to slot."},
    "first_slot": {"description": "The first of them.", "$ref": "#/components/schemas/Time"},
    "value": {"description": "If a filter skipped the event: the value that the filter read. A long one is cut, and then is text. Absent if the event does not have the field, or is not kept."},
    "number": {"type": "integer"}}})"},
    {"Ledger", R"({
  "type": "object", "required": ["entries", "next"],
  "properties": {"entries": {"type": "array", "items": {"$ref": "#/components/schemas/LedgerEntry"}},
                 "next": {"type": ["integer", "null"], "description": "The value of before for the next page."}}})"},
    {"LedgerTotals", R"({
  "type": "object", "required": ["fired", "skipped", "coalesced", "missed"],
  "properties": {"fired": {"type": "integer"}, "skipped": {"type": "integer"},
                 "coalesced": {"type": "integer"}, "missed": {"type": "integer"}}})"},
    {"Trigger", R"({
  "type": "object", "required": ["name", "state", "source", "when", "next_at", "run", "totals"],
  "properties": {
    "name": {"type": "string"},
    "state": {"type": "string", "enum": ["active", "paused", "backoff", "done"]},
    "source": {"$ref": "#/components/schemas/TriggerSource"},
    "when": {"type": "string", "description": "The source in words."},
    "filters": {"type": "array", "items": {"$ref": "#/components/schemas/TriggerFilter"}},
    "dedup": {"$ref": "#/components/schemas/Duration"},
    "missed": {"type": "string"},
    "missed_window": {"$ref": "#/components/schemas/Duration"},
    "jitter": {"$ref": "#/components/schemas/Duration"},
    "overlap": {"type": "string"},
    "run": {"$ref": "#/components/schemas/TriggerRun"},
    "env_names": {"type": "array", "items": {"type": "string"}},
    "declared_in": {"type": "string", "description": "The file that declares it; absent if it was added by hand."},
    "warning": {"description": "The reason why it may not fire: the secret of its webhook cannot be read, its last polls failed, or its files cannot be watched.",
                "$ref": "#/components/schemas/TextOrNull"},
    "created_at": {"$ref": "#/components/schemas/Time"},
    "paused_at": {"$ref": "#/components/schemas/TimeOrNull"},
    "next_at": {"$ref": "#/components/schemas/TimeOrNull"},
    "errors": {"type": "integer"},
    "backoff_until": {"$ref": "#/components/schemas/TimeOrNull"},
    "last": {"oneOf": [{"$ref": "#/components/schemas/LedgerEntry"}, {"type": "null"}]},
    "totals": {"$ref": "#/components/schemas/LedgerTotals"}}})"},
    {"DeclarationProblem", R"({
  "type": "object", "required": ["file", "message"],
  "properties": {"file": {"type": "string"}, "line": {"type": "integer"}, "column": {"type": "integer"},
                 "message": {"type": "string"}}})"},
    {"Triggers", R"({
  "type": "object", "required": ["triggers", "next", "problems"],
  "properties": {"triggers": {"type": "array", "items": {"$ref": "#/components/schemas/Trigger"}},
                 "problems": {"type": "array", "items": {"$ref": "#/components/schemas/DeclarationProblem"},
                              "description": "Of the files that declare triggers; only the owner sees them."},
                 "next": {"$ref": "#/components/schemas/TextOrNull"}}})"},
    {"TriggerRemoved", R"({
  "type": "object", "required": ["trigger", "outcome"],
  "properties": {"trigger": {"type": "string"}, "outcome": {"type": "string", "enum": ["removed"]}}})"},
    {"RunBrief", R"({
  "type": "object", "required": ["run_id", "state"],
  "properties": {"run_id": {"type": "string"}, "state": {"$ref": "#/components/schemas/State"}}})"},
    {"TriggerWhy", R"({
  "type": "object", "required": ["trigger", "state", "at", "verdict", "run", "active"],
  "properties": {
    "trigger": {"type": "string"},
    "source": {"type": "string", "description": "The type of its source."},
    "state": {"type": "string", "enum": ["active", "paused", "backoff", "done"]},
    "when": {"type": "string", "description": "The source in words."},
    "paused_at": {"$ref": "#/components/schemas/TimeOrNull"},
    "next_at": {"$ref": "#/components/schemas/TimeOrNull"},
    "errors": {"type": "integer"},
    "backoff_until": {"$ref": "#/components/schemas/TimeOrNull"},
    "at": {"$ref": "#/components/schemas/TimeOrNull"},
    "verdict": {"type": "string",
                "description": "Whether the ledger has an entry for the time. recorded: `entry` is the entry. upcoming: the time is in the future. undecided: the due time has passed, but the trigger is paused, or the daemon is about to decide. before_added: the trigger did not exist then. other_schedule: it had another schedule then. forgotten: older than the entries that are kept. not_due: the time is not a due time. nothing_yet: no time was given, and the ledger is empty.",
                "enum": ["recorded", "upcoming", "undecided", "before_added", "forgotten",
                         "other_schedule", "not_due", "nothing_yet"]},
    "entry": {"$ref": "#/components/schemas/LedgerEntry"},
    "cause": {"$ref": "#/components/schemas/TextOrNull"},
    "run": {"oneOf": [{"$ref": "#/components/schemas/RunBrief"}, {"type": "null"}]},
    "due_before": {"$ref": "#/components/schemas/TimeOrNull"},
    "due_after": {"$ref": "#/components/schemas/TimeOrNull"},
    "warning": {"description": "As in the trigger.", "$ref": "#/components/schemas/TextOrNull"},
    "active": {"type": "array", "items": {"$ref": "#/components/schemas/RunBrief"}}}})"},
    {"TrialAsked", R"({
  "type": "object", "additionalProperties": false,
  "description": "A time of a schedule, or an event.",
  "properties": {
    "at": {"$ref": "#/components/schemas/Time"},
    "type": {"type": "string", "description": "The type of the event; needed if the trigger is on several types."},
    "payload": {"description": "Any JSON; null if not set."},
    "dedup_key": {"type": "string"}}})"},
    {"TrialCheck", R"({
  "type": "object", "required": ["check", "passes", "text"],
  "properties": {
    "check": {"type": "string", "enum": ["due", "ledger", "type", "pause", "filter", "dedup", "backoff",
                                         "overlap", "lane"]},
    "passes": {"type": "boolean"},
    "text": {"type": "string"},
    "until": {"description": "When a backoff is over.", "$ref": "#/components/schemas/Time"},
    "value": {"description": "The field of the event that a filter reads; it is absent if the event does not have it."}}})"},
    {"Trial", R"({
  "type": "object", "required": ["trigger", "would_run", "obstacle", "checks", "run", "drover_trigger"],
  "properties": {
    "trigger": {"type": "string"},
    "would_run": {"type": "boolean"},
    "obstacle": {"description": "The first check that does not pass.", "$ref": "#/components/schemas/TextOrNull"},
    "slot": {"description": "The time that was tested, if it was one.", "$ref": "#/components/schemas/Time"},
    "due_at": {"description": "The same with the jitter of the trigger.", "$ref": "#/components/schemas/Time"},
    "due_before": {"$ref": "#/components/schemas/TimeOrNull"},
    "due_after": {"$ref": "#/components/schemas/TimeOrNull"},
    "checks": {"type": "array", "items": {"$ref": "#/components/schemas/TrialCheck"}},
    "run": {"$ref": "#/components/schemas/TriggerRun"},
    "env_names": {"type": "array", "items": {"type": "string"}},
    "drover_trigger": {"type": "object", "additionalProperties": true, "description": "The value of DROVER_TRIGGER."},
    "in_file": {"type": "boolean", "description": "Whether the event is so large that DROVER_TRIGGER_FILE names a file with it."}}})"},
    {"EventPosted", R"({
  "type": "object", "additionalProperties": false, "required": ["type"],
  "properties": {"type": {"type": "string", "description": "Lower-case words separated by dots, such as deploy.done."},
                 "dedup_key": {"type": "string"},
                 "payload": {"description": "Any JSON, at most 256 KiB."}}})"},
    {"EventAccepted", R"({
  "type": "object", "required": ["event_id"], "properties": {"event_id": {"type": "string"}}})"},
    {"NextTimes", R"({
  "type": "object", "required": ["times"],
  "properties": {"times": {"type": "array", "items": {"$ref": "#/components/schemas/Time"}}}})"},
});

}  // namespace

std::span<const Shape> shapes() {
  return kSchemas;
}

}  // namespace drover::wire::triggers
