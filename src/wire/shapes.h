// A Shape is a JSON Schema with a name: what a body or a parameter looks like. Each operation has a
// Form, which says which shapes it takes and answers with. /openapi.json is made of these; a test
// holds every real answer against its shape, so that the description cannot drift.
#pragma once

#include <span>
#include <string_view>

#include "wire/operations.h"

namespace drover::wire {

struct Shape {
  std::string_view name;
  std::string_view schema;  // JSON.
};

struct Answer {
  unsigned status;
  std::string_view media;  // Empty: no body.
  std::string_view shape;
  std::string_view help;
};

struct Form {
  Op op;
  std::string_view takes;  // The body's shape; empty: the operation has none, or takes bytes.
  bool must = false;       // The body may not be left out.
  std::span<const Answer> answers;
};

// By subject: words and numbers, what is asked for, what is told of runs, of projects, and the
// rest.
std::span<const Shape> shapes_of_words();
std::span<const Shape> shapes_of_requests();
std::span<const Shape> shapes_of_runs();
std::span<const Shape> shapes_of_projects();
std::span<const Shape> shapes_of_answers();

const Form& form_of(Op op);

}  // namespace drover::wire
