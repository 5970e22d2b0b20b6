#include "wire/openapi.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <string>

namespace drover::wire {
namespace {

namespace json = boost::json;
using json::array;
using json::object;

constexpr Tag kDaemonTag{"daemon", "The daemon itself"};

object ref(std::string_view shape) {
  return {{"$ref", "#/components/schemas/" + std::string(shape)}};
}

object body_of(std::string_view media, std::string_view shape) {
  return {{media, object{{"schema", ref(shape)}}}};
}

// "/api/runs/{id}/logs" → "id"; empty: the path has no parameter.
std::string_view path_parameter(std::string_view path) {
  const size_t begin = path.find('{');
  if (begin == std::string_view::npos) return {};
  return path.substr(begin + 1, path.find('}') - begin - 1);
}

array parameters_of(const Operation& operation) {
  array out;
  if (const auto hole = path_parameter(operation.path); !hole.empty()) {
    out.push_back(object{{"name", hole},
                         {"in", "path"},
                         {"required", true},
                         {"description", operation.subject},
                         {"schema", ref("Text")}});
  }
  for (const Parameter& parameter : operation.query) {
    out.push_back(object{{"name", parameter.name},
                         {"in", "query"},
                         {"description", parameter.help},
                         {"schema", ref(parameter.shape)}});
  }
  for (const Header& header : operation.headers) {
    out.push_back(object{{"name", header.name},
                         {"in", "header"},
                         {"description", header.help},
                         {"schema", ref("Text")}});
  }
  return out;
}

object request_of(const Operation& operation) {
  if (operation.body == Body::any) {
    // Without a schema: a validator would parse JSON first, and then miss a string.
    return {{"required", false}, {"content", object{{"*/*", object{}}}}};
  }
  if (operation.body == Body::bytes) {
    object content = body_of("application/octet-stream", "Bytes");
    content["text/plain"] = object{{"schema", ref("Bytes")}};
    return {{"required", false}, {"content", content}};
  }
  return {{"required", operation.needs_body}, {"content", body_of(kJson, operation.takes)}};
}

// The headers of an operation's answers.
object headers_of(const Operation& operation) {
  object out;
  for (const Header& header : operation.answer_headers) {
    out[header.name] = object{{"description", header.help}, {"schema", ref("Text")}};
  }
  return out;
}

object responses_of(const Operation& operation) {
  object out;
  for (const Answer& answer : operation.answers) {
    const std::string status = std::to_string(answer.status);
    if (!out.contains(status)) out[status] = object{{"description", answer.help}};
    if (answer.media.empty()) continue;
    object& response = out[status].as_object();
    if (object headers = headers_of(operation); !headers.empty()) response["headers"] = headers;
    if (!response.contains("content")) response["content"] = object{};
    response["content"].as_object()[answer.media] = object{{"schema", ref(answer.shape)}};
  }
  for (const char* status : {"4XX", "5XX"}) {
    out[status] = object{{"$ref", "#/components/responses/Refused"}};
  }
  return out;
}

// The part of the name before the dot, if an area explains it.
std::string_view tag_of(const Operation& operation, std::span<const Area* const> areas) {
  const std::string_view name = operation.name.substr(0, operation.name.find('.'));
  for (const Area* area : areas) {
    for (const Tag& tag : area->tags) {
      if (tag.name == name) return name;
    }
  }
  return kDaemonTag.name;
}

object describe(const Operation& operation, std::string_view tag) {
  std::string id(operation.name);
  std::ranges::replace(id, '.', '_');
  object out{{"operationId", id}, {"summary", operation.help}, {"tags", array{tag}}};
  if (array parameters = parameters_of(operation); !parameters.empty()) {
    out["parameters"] = std::move(parameters);
  }
  const bool is_raw = operation.body == Body::bytes || operation.body == Body::any;
  if (is_raw || !operation.takes.empty()) {
    out["requestBody"] = request_of(operation);
  }
  out["responses"] = responses_of(operation);
  if (operation.can == Permission::anyone) out["security"] = array{};
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

object openapi(std::span<const Area* const> areas) {
  object paths;
  object schemas;
  array tags;
  const auto add_tag = [&](const Tag& tag) {
    tags.push_back(object{{"name", tag.name}, {"description", tag.help}});
  };
  for (const Area* area : areas) {
    for (const Operation* operation : area->operations) {
      if (!paths.contains(operation->path)) paths[operation->path] = object{};
      paths[operation->path].as_object()[lower(operation->method)] =
          describe(*operation, tag_of(*operation, areas));
    }
    for (const ShapeList shapes : area->shapes) {
      for (const Shape& shape : shapes()) schemas[shape.name] = json::parse(shape.schema);
    }
    for (const Tag& tag : area->tags) add_tag(tag);
  }
  add_tag(kDaemonTag);
  return {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "Drover"},
        {"version", DROVER_VERSION},
        {"summary", "Start commands as runs, and control each by one id that always resolves"},
        {"license", {{"name", "Apache 2.0"}, {"identifier", "Apache-2.0"}}}}},
      {"servers",
       array{object{{"url", "/"}, {"description", "The daemon that served this document"}}}},
      // Over the unix socket the kernel says who calls; beyond it a token does.
      {"security", array{object{}, object{{"token", array{}}}}},
      {"tags", std::move(tags)},
      {"paths", std::move(paths)},
      {"components",
       {{"schemas", std::move(schemas)},
        {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
        {"responses",
         {{"Refused",
           {{"description", "An error; every error has this form"},
            {"content", body_of(kJson, "Error")}}}}}}},
  };
}

}  // namespace drover::wire
