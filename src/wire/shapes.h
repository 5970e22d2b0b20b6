// A Shape is a JSON Schema with a name: the form of a body or a parameter. Each operation names the
// shapes of its request and its answers. /openapi.json is built from them, and a test checks real
// answers against their shapes.
#pragma once

#include <span>
#include <string_view>

namespace drover::wire {

struct Shape {
  std::string_view name;
  std::string_view schema;  // JSON.
};

// By subject: words and numbers, requests, descriptions of runs, and the other answers.
std::span<const Shape> shapes_of_words();
std::span<const Shape> shapes_of_requests();
std::span<const Shape> shapes_of_runs();
std::span<const Shape> shapes_of_answers();

}  // namespace drover::wire
