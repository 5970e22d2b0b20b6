#include <array>

#include "wire/inbox/operations.h"

namespace drover::wire::inbox {
namespace {

constexpr auto kSchemas = std::to_array<Shape>({
    {"InboxType", R"({
  "type": "string",
  "description": "`escalation` is a question.",
  "enum": ["escalation", "run_complete", "run_skipped", "milestone", "output"]})"},
    {"QuestionState", R"({
  "type": "string", "enum": ["open", "answered", "expired", "dismissed", "withdrawn"]})"},
    {"AnswerGiven", R"({
  "type": "object", "additionalProperties": false,
  "description": "Give one of them, or both.",
  "properties": {
    "choice": {"type": "string", "description": "One of the question's choices. Of a question without choices: the answer."},
    "text": {"type": "string"}}})"},
    {"NoFields", R"({"type": "object", "additionalProperties": false})"},
    {"QuestionAsked", R"({
  "type": "object", "additionalProperties": false, "required": ["question"],
  "properties": {
    "question": {"type": "string"},
    "choices": {"type": "array", "maxItems": 20, "items": {"type": "string"},
                "description": "If there are none, any text is an answer."},
    "context": {"type": "string", "description": "The facts that a person needs to answer."},
    "timeout": {"type": "string", "default": "24h", "description": "A duration, or never."},
    "waits": {"type": "boolean", "default": false,
              "description": "A process of the run waits for the answer: the question is withdrawn when the run finishes."},
    "data": {"description": "Any JSON, at most 64 KiB."}}})"},
    {"ReportMade", R"({
  "type": "object", "additionalProperties": false, "required": ["type"],
  "properties": {
    "type": {"$ref": "#/components/schemas/InboxType"},
    "summary": {"type": "string"},
    "data": {"description": "Any JSON, at most 64 KiB."},
    "question": {"type": "string", "description": "Of a question, instead of the summary."},
    "choices": {"type": "array", "maxItems": 20, "items": {"type": "string"}},
    "context": {"type": "string"},
    "timeout": {"type": "string"},
    "waits": {"type": "boolean"}}})"},
    {"InboxEntry", R"({
  "type": "object",
  "description": "A report has summary; a question has the fields from question on.",
  "required": ["id", "type", "app", "run_id", "scope", "at", "data"],
  "properties": {
    "id": {"type": "string"},
    "type": {"$ref": "#/components/schemas/InboxType"},
    "app": {"$ref": "#/components/schemas/TextOrNull"},
    "run_id": {"type": "string"},
    "scope": {"type": "string"},
    "at": {"$ref": "#/components/schemas/Time"},
    "data": {},
    "summary": {"type": "string"},
    "question": {"type": "string"},
    "choices": {"type": "array", "items": {"type": "string"}},
    "context": {"$ref": "#/components/schemas/TextOrNull"},
    "state": {"$ref": "#/components/schemas/QuestionState"},
    "asked_at": {"$ref": "#/components/schemas/Time"},
    "deadline": {"$ref": "#/components/schemas/TimeOrNull"},
    "closed_at": {"$ref": "#/components/schemas/TimeOrNull"},
    "answer": {
      "type": ["object", "null"], "required": ["choice", "text", "by"],
      "properties": {
        "choice": {"$ref": "#/components/schemas/TextOrNull"},
        "text": {"$ref": "#/components/schemas/TextOrNull"},
        "by": {"type": "string", "enum": ["owner", "token"]}}}}})"},
    {"MemoryText", R"({
  "type": "object", "additionalProperties": false, "required": ["text"],
  "properties": {
    "text": {"type": "string", "description": "Markdown. Beyond 256 KiB, the first lines are moved to the history."},
    "revision": {"type": "string", "description": "The revision that was read: if the memory has changed since, the request is refused."}}})"},
    {"Memory", R"({
  "type": "object", "required": ["name", "text", "revision"],
  "properties": {"name": {"type": "string"}, "text": {"type": "string"}, "revision": {"type": "string"}}})"},
    {"Memories", R"({
  "type": "object", "required": ["memories"],
  "properties": {"memories": {"type": "array", "items": {"type": "string"}}}})"},
    {"MemoryLog", R"({
  "type": "object", "required": ["name", "versions"],
  "properties": {
    "name": {"type": "string"},
    "versions": {"type": "array", "items": {
      "type": "object", "required": ["version", "replaced_at", "bytes"],
      "properties": {"version": {"type": "string"},
                     "replaced_at": {"$ref": "#/components/schemas/Time"},
                     "bytes": {"type": "integer"}}}}}})"},
    {"InboxEntries", R"({
  "type": "object", "required": ["entries", "next"],
  "properties": {
    "entries": {"type": "array", "items": {"$ref": "#/components/schemas/InboxEntry"}},
    "next": {"type": ["integer", "null"], "description": "The value of before for the next page."}}})"},
});

}  // namespace

std::span<const Shape> shapes() {
  return kSchemas;
}

}  // namespace drover::wire::inbox
