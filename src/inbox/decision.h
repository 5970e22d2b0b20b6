// A decision answers a request to close a question (life.h): the question changes, the request
// repeats the one that closed it, or it is refused because the question was closed in another way.
// The first request wins. Pure: the caller records the change in the same transaction (changes.h).
#pragma once

#include "base/result.h"
#include "inbox/entry.h"

namespace drover::inbox {

// changed: record it. repeated: it is recorded already, with the same answer.
enum class Decision : std::uint8_t { changed, repeated };

// `answer` as it is recorded: a choice of a question without choices is a text. Refused:
// `unknown_choice`.
Result<Answer> checked(const Entry& question, Answer answer);

// Refused, always as a conflict: `already_answered`, `question_expired`, `question_dismissed`,
// `question_withdrawn`. A question whose deadline has passed is expired, also while it is not
// recorded yet.
Result<Decision> decide(const Entry& question, Happening happening, WallMs now,
                        const Answer& answer = {});

}  // namespace drover::inbox
