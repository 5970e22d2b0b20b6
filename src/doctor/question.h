// A Question is one promise that the database alone can answer for: how many things it speaks of,
// and a question whose every answer is a broken one. Rooms bring questions of their own.
//
// They are written for the newest schema. A database that no daemon has opened since an older one
// has two columns under older names (`subject` of the spine was `run_id`, `phase` of a run
// `session`); they are asked for by those then.
#pragma once

#include <span>
#include <string_view>

namespace drover::doctor {

struct Question {
  std::string_view promise;
  std::string_view count;
  std::string_view broken;  // One column of text: what is wrong.
};

// Asked if `known` answers anything but 0: of a database that has never heard of it there is
// nothing to ask.
struct QuestionSet {
  std::string_view known;
  std::span<const Question> questions;
};

}  // namespace drover::doctor
