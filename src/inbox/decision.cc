#include "inbox/decision.h"

#include <algorithm>

namespace drover::inbox {
namespace {

std::unexpected<Error> closed(const Entry& question, State state) {
  switch (state) {
    case State::answered:
      return fail(
          ErrorCode::conflict, "already_answered",
          "the question was answered before, with: " +
              (question.answer.choice.empty() ? question.answer.text : question.answer.choice),
          "entry");
    case State::expired:
      return fail(ErrorCode::conflict, "question_expired",
                  "the question has expired: its deadline was " +
                      rfc3339(question.deadline.value_or(question.closed_at)),
                  "entry");
    case State::dismissed:
      return fail(ErrorCode::conflict, "question_dismissed", "the question was dismissed", "entry");
    default:
      return fail(ErrorCode::conflict, "question_withdrawn",
                  "the run does not need an answer any more: it has finished, or has withdrawn the "
                  "question",
                  "entry");
  }
}

}  // namespace

Result<Answer> checked(const Entry& question, Answer answer) {
  if (answer.choice.empty()) return answer;
  if (question.choices.empty()) {
    if (!answer.text.empty()) {
      return fail(ErrorCode::invalid, "unknown_choice",
                  "the question has no choices; send the answer as text", "choice");
    }
    return Answer{.choice = {}, .text = std::move(answer.choice)};
  }
  if (std::ranges::find(question.choices, answer.choice) != question.choices.end()) return answer;
  std::string list;
  for (const std::string& choice : question.choices) list += (list.empty() ? "" : ", ") + choice;
  return fail(ErrorCode::invalid, "unknown_choice",
              "choice must be one of: " + list + "; send any other answer as text", "choice");
}

Result<Decision> decide(const Entry& question, Happening happening, WallMs now,
                        const Answer& answer) {
  State state = question.state;
  const bool is_late = question.deadline && *question.deadline <= now;
  if (is_open(state) && happening != Happening::expiry && is_late) state = State::expired;
  if (const auto to = next(state, happening)) return Decision::changed;
  const bool is_same = next(State::open, happening) == state &&
                       (happening != Happening::answer || answer == question.answer);
  if (is_same) return Decision::repeated;
  return closed(question, state);
}

}  // namespace drover::inbox
