#include "wire/openapi.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <string>

#include "wire/shapes.h"

namespace drover::wire {
namespace {

namespace json = boost::json;
using json::array;
using json::object;

object ref(std::string_view shape) {
  return {{"$ref", "#/components/schemas/" + std::string(shape)}};
}

object body_of(std::string_view media, std::string_view shape) {
  return {{media, object{{"schema", ref(shape)}}}};
}

// "/api/runs/{id}/logs" → "id"; empty: there is nothing to fill in.
std::string_view hole_in(std::string_view path) {
  const size_t begin = path.find('{');
  if (begin == std::string_view::npos) return {};
  return path.substr(begin + 1, path.find('}') - begin - 1);
}

object header(std::string_view name, std::string_view help) {
  return {{"name", name}, {"in", "header"}, {"description", help}, {"schema", ref("Text")}};
}

array parameters_of(const Operation& operation) {
  array out;
  if (const auto hole = hole_in(operation.path); !hole.empty()) {
    const bool by_handle = operation.path.starts_with("/_ref/");
    const std::string_view help = hole == "lane"      ? "the name of a lane"
                                  : hole == "token"   ? "the id of a token or a session"
                                  : hole == "project" ? "the id of a project"
                                  : by_handle         ? "a run's id, whole"
                                                      : "a run: its id, its name if no other of "
                                                        "yours has it, a unique prefix of its id, "
                                                        "@last or @failed";
    out.push_back(object{{"name", hole},
                         {"in", "path"},
                         {"required", true},
                         {"description", help},
                         {"schema", ref("Text")}});
  }
  for (const Parameter& parameter : operation.query) {
    out.push_back(object{{"name", parameter.name},
                         {"in", "query"},
                         {"description", parameter.help},
                         {"schema", ref(parameter.shape)}});
  }
  if (operation.op == Op::runs_create || operation.op == Op::runs_retry ||
      operation.op == Op::projects_play) {
    out.push_back(header("Idempotency-Key", "the same key and body again: the same run"));
  }
  if (operation.op == Op::runs_create) {
    out.push_back(header("traceparent", "the trace that the run goes on (W3C)"));
  }
  if (operation.op == Op::runs_logs) {
    out.push_back(header("Range", "bytes=0-1023, of the log"));
  }
  if (operation.op == Op::runs_events || operation.op == Op::events) {
    out.push_back(header("Last-Event-ID", "as after; counts before it"));
  }
  if (operation.op == Op::projects_log) {
    out.push_back(header("Last-Event-ID",
                         "the id of the last event that was seen; of another play: from the "
                         "beginning; counts before after"));
  }
  return out;
}

object request_of(const Operation& operation, const Form& form) {
  if (operation.body == Body::bytes) {
    object content = body_of("application/octet-stream", "Bytes");
    content["text/plain"] = object{{"schema", ref("Bytes")}};
    return {{"required", false}, {"content", content}};
  }
  return {{"required", form.must}, {"content", body_of("application/json", form.takes)}};
}

// What an answer says besides its body.
object headers_of(Op op) {
  const auto told = [](std::string_view help) {
    return object{{"description", help}, {"schema", ref("Text")}};
  };
  if (op == Op::runs_logs || op == Op::runs_screen) {
    return {{"Drover-Next-Offset", told("the byte of the log to go on at")}};
  }
  if (op != Op::projects_log) return {};
  return {{"Drover-Run-Id", told("whose log it is")},
          {"Drover-Next-Seq", told("of a page: for after, to go on behind it")},
          {"Drover-End-Seq", told("of a page: where the log ended when it was read")}};
}

object responses_of(const Form& form) {
  object out;
  for (const Answer& answer : form.answers) {
    const std::string status = std::to_string(answer.status);
    if (!out.contains(status)) out[status] = object{{"description", answer.help}};
    if (answer.media.empty()) continue;
    object& told = out[status].as_object();
    if (object headers = headers_of(form.op); !headers.empty()) told["headers"] = headers;
    if (!told.contains("content")) told["content"] = object{};
    told["content"].as_object()[answer.media] = object{{"schema", ref(answer.shape)}};
  }
  for (const char* status : {"4XX", "5XX"}) {
    out[status] = object{{"$ref", "#/components/responses/Refused"}};
  }
  return out;
}

object describe(const Operation& operation) {
  const Form& form = form_of(operation.op);
  std::string id(operation.name);
  std::ranges::replace(id, '.', '_');
  std::string_view tag = operation.name.substr(0, operation.name.find('.'));
  if (tag == operation.name) tag = operation.op == Op::events ? "events" : "daemon";
  object out{{"operationId", id}, {"summary", operation.help}, {"tags", array{tag}}};
  if (array parameters = parameters_of(operation); !parameters.empty()) {
    out["parameters"] = std::move(parameters);
  }
  if (operation.body == Body::bytes || !form.takes.empty()) {
    out["requestBody"] = request_of(operation, form);
  }
  out["responses"] = responses_of(form);
  if (operation.can == Can::anyone) out["security"] = array{};
  return out;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return out;
}

}  // namespace

object openapi() {
  object paths;
  for (const Operation& operation : kOperations) {
    if (!paths.contains(operation.path)) paths[operation.path] = object{};
    paths[operation.path].as_object()[lower(operation.method)] = describe(operation);
  }
  object schemas;
  for (const auto shapes : {shapes_of_words(), shapes_of_requests(), shapes_of_runs(),
                            shapes_of_projects(), shapes_of_answers()}) {
    for (const Shape& shape : shapes) schemas[shape.name] = json::parse(shape.schema);
  }
  array tags;
  for (const auto& [name, help] : {std::pair{"runs", "runs"},
                                   {"scope", "all runs of a scope"},
                                   {"events", "what happened"},
                                   {"lanes", "named queues with a limit"},
                                   {"projects", "folders that are built, packed and played"},
                                   {"ref", "handles: a run's id, for ever"},
                                   {"tokens", "keys that may do less than the owner"},
                                   {"ui", "the way to the page"},
                                   {"daemon", "the daemon itself"}}) {
    tags.push_back(object{{"name", name}, {"description", help}});
  }
  return {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "Drover"},
        {"version", DROVER_VERSION},
        {"summary", "Starts commands as runs, and steers them by one id that always resolves."},
        {"license", {{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}}}},
      {"servers", array{object{{"url", "/"}, {"description", "the daemon that served this"}}}},
      // Over the unix socket the kernel says who calls; beyond it a token does.
      {"security", array{object{}, object{{"token", array{}}}}},
      {"tags", std::move(tags)},
      {"paths", std::move(paths)},
      {"components",
       {{"schemas", std::move(schemas)},
        {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
        {"responses",
         {{"Refused",
           {{"description", "The one envelope of every error."},
            {"content", body_of("application/json", "Error")}}}}}}},
  };
}

}  // namespace drover::wire
