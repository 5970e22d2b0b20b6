// A request body is the JSON of `drover ask`, `drover report` or an answer, from the API or from a
// file of the spool. Reading refuses an invalid one with the name of the field. Pure.
#pragma once

#include <string_view>

#include "base/result.h"
#include "inbox/entry.h"

namespace drover::inbox {

// {"question", "choices", "context", "timeout", "waits"}. The deadline counts from `now`.
Result<Entry> read_question(std::string_view body, WallMs now);

// {"type", "summary", "data"}. Of the type escalation: a question, with its other fields.
Result<Entry> read_report(std::string_view body, WallMs now);

// {"choice", "text"}.
Result<Answer> read_answer(std::string_view body);

// The key under which a run asks or reports; 1 to 200 printable characters.
Result<> check_key(std::string_view key);

}  // namespace drover::inbox
