// A Shape is a JSON Schema with a name: what a body or a parameter looks like. Each operation names
// the shapes that it takes and answers with. /openapi.json is made of these; a test holds every
// real answer against its shape, so that the description cannot drift.
#pragma once

#include <span>
#include <string_view>

namespace drover::wire {

struct Shape {
  std::string_view name;
  std::string_view schema;  // JSON.
};

// By subject: words and numbers, what is asked for, what is told of runs, and the other answers.
std::span<const Shape> shapes_of_words();
std::span<const Shape> shapes_of_requests();
std::span<const Shape> shapes_of_runs();
std::span<const Shape> shapes_of_answers();

}  // namespace drover::wire
