#include "dispatch/files/run_note.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/text.h"
#include "run/redact.h"
#include "store/sqlite/plan_text.h"

namespace drover::dispatch {
namespace {

namespace json = boost::json;

constexpr std::string_view kDefaultLane = "default";
constexpr std::string_view kTraceVariable = "DROVER_TRACE_ID=";

// Composes JSON without a tree: a note is made for every run.
class Note {
 public:
  void add(std::string_view name, std::string_view text) {
    begin(name);
    const bool plain = std::ranges::all_of(
        text, [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
    if (plain) {
      out_.append("\"").append(text).append("\"");
    } else {
      out_ += json::serialize(json::string_view(text));
    }
  }
  void add(std::string_view name, std::int64_t number) {
    begin(name);
    out_ += std::to_string(number);
  }
  void add_json(std::string_view name, std::string_view text) {
    begin(name);
    out_ += text;
  }
  void add_if(std::string_view name, std::string_view text) {
    if (!text.empty()) add(name, text);
  }
  std::string take() { return std::move(out_.append("}")); }

 private:
  void begin(std::string_view name) {
    out_.append(out_.empty() ? "{\"" : ",\"").append(name).append("\":");
  }
  std::string out_;
};

std::string labels_text(const std::map<std::string, std::string>& labels) {
  json::object out;
  for (const auto& [key, value] : labels) out[key] = value;
  return json::serialize(out);
}

// Reads fields; `fits` turns false when one has another type than Drover writes.
class Fields {
 public:
  explicit Fields(const json::object& object) : object_(object) {}
  bool fits = true;

  void read(std::string_view name, std::string& text) {
    if (const json::value* found = object_.if_contains(name)) {
      fits &= found->is_string();
      if (found->is_string()) text = found->get_string();
    }
  }
  template <std::integral Number>
  void read(std::string_view name, Number& number) {
    if (const json::value* found = object_.if_contains(name)) {
      fits &= found->is_int64();
      if (found->is_int64()) number = static_cast<Number>(found->get_int64());
    }
  }
  void read(std::string_view name, std::map<std::string, std::string>& map) {
    const json::value* found = object_.if_contains(name);
    if (found == nullptr) return;
    fits &= found->is_object();
    if (!found->is_object()) return;
    for (const auto& [key, value] : found->get_object()) {
      fits &= value.is_string();
      if (value.is_string()) map[std::string(key)] = value.get_string();
    }
  }
  void read(std::string_view name, std::vector<std::string>& list) {
    const json::value* found = object_.if_contains(name);
    if (found == nullptr) return;
    fits &= found->is_array();
    if (!found->is_array()) return;
    list.clear();
    for (const json::value& value : found->get_array()) {
      fits &= value.is_string();
      if (value.is_string()) list.emplace_back(value.get_string());
    }
  }

 private:
  const json::object& object_;
};

// A file of an earlier release. Nothing in it says what is secret, except its environment.
NotedRun without_note(const RunId& id, const process::Command& command) {
  NotedRun noted;
  run::Record& record = noted.record;
  const run::Secrets secrets(command.environment);
  record.id = id;
  record.kind = run::kCommand;
  record.lane = kDefaultLane;
  record.queued_at = id.time();
  record.command = run::redact_command(command.argv, secrets);
  record.cwd = bounded(run::redact(command.cwd, secrets), limits::kPathBytesMax);
  record.on_restart = run::OnRestart::fail;  // It may be a composite: nothing must start it.
  record.grace_ms = command.grace_ms;
  record.limits = command.limits;
  for (const std::string& variable : command.environment) {
    if (variable.starts_with(kTraceVariable)) {
      record.trace_id = variable.substr(kTraceVariable.size());
    }
  }
  return noted;
}

}  // namespace

std::string note_of(const run::Record& r, const process::Command& command,
                    const NotedSubmission& submission) {
  Note note;
  note.add("scope", r.scope);
  note.add("queued_at", r.queued_at);
  if (r.trace_id != r.id.trace_id()) note.add("trace_id", r.trace_id);
  if (r.kind != run::kCommand) note.add("kind", r.kind);
  note.add_if("name", r.name);
  if (r.lane != kDefaultLane) note.add("lane", r.lane);
  // The redacted ones, if they differ: once the environment is removed, nobody can redact them.
  if (r.command != command.argv) {
    note.add_json("command", json::serialize(json::array(r.command.begin(), r.command.end())));
  }
  if (r.cwd != command.cwd) note.add("cwd", r.cwd);
  if (!r.labels.empty()) note.add_json("labels", labels_text(r.labels));
  note.add_if("parent_run_id", r.parent_run_id);
  if (r.on_restart == run::OnRestart::fail) note.add("on_restart", "fail");
  if (r.attempt != 1) note.add("attempt", r.attempt);
  if (r.priority != 0) note.add("priority", r.priority);
  if (r.not_before != 0) note.add("not_before", r.not_before);
  note.add_if("chain", r.chain);
  note.add_if("plan", store::sqlite::plan_text(r));
  note.add_if("phase", r.phase);
  note.add_if("key", submission.key);
  note.add_if("digest", submission.key.empty() ? std::string_view() : submission.digest);
  note.add_if("exact_reader", submission.exact_reader);
  return note.take();
}

Result<NotedRun> noted_run(const RunId& id, const process::Command& command) {
  if (command.note.empty()) return without_note(id, command);
  boost::system::error_code bad;
  const json::value value = json::parse(command.note, bad);
  NotedRun noted;
  run::Record& record = noted.record;
  record.id = id;
  record.trace_id = id.trace_id();
  record.kind = run::kCommand;
  record.lane = kDefaultLane;
  record.command = command.argv;
  record.cwd = command.cwd;
  record.grace_ms = command.grace_ms;
  const json::object none;
  Fields fields(!bad && value.is_object() ? value.get_object() : none);
  std::string on_restart;
  std::string plan;
  fields.read("scope", record.scope);
  fields.read("queued_at", record.queued_at);
  fields.read("trace_id", record.trace_id);
  fields.read("kind", record.kind);
  fields.read("name", record.name);
  fields.read("lane", record.lane);
  fields.read("command", record.command);
  fields.read("cwd", record.cwd);
  fields.read("labels", record.labels);
  fields.read("parent_run_id", record.parent_run_id);
  fields.read("on_restart", on_restart);
  fields.read("attempt", record.attempt);
  fields.read("priority", record.priority);
  fields.read("not_before", record.not_before);
  fields.read("chain", record.chain);
  fields.read("plan", plan);
  fields.read("phase", record.phase);
  fields.read("key", noted.submission.key);
  fields.read("digest", noted.submission.digest);
  fields.read("exact_reader", noted.submission.exact_reader);
  record.on_restart = on_restart == "fail" ? run::OnRestart::fail : run::OnRestart::requeue;
  if (!fields.fits || record.scope.empty() || !store::sqlite::read_plan(plan, record)) {
    return fail_invalid("note", "the note of " + id.str() + " cannot be read");
  }
  return noted;
}

}  // namespace drover::dispatch
