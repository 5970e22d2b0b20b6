// An Entry is one thing in the inbox: a question of a run to people, or a report of a run. It
// belongs to its run and to the run's scope, and stays when the run has finished.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "inbox/life.h"
#include "run/secrets.h"

namespace drover::inbox {

// The names are those of `drover report TYPE`. An escalation is a question.
enum class Type : std::uint8_t { escalation, run_complete, run_skipped, milestone, output };
inline constexpr auto kTypes = std::to_array<Type>(
    {Type::escalation, Type::run_complete, Type::run_skipped, Type::milestone, Type::output});

constexpr std::string_view name(Type type) {
  constexpr std::array<std::string_view, kTypes.size()> kNames{
      "escalation", "run_complete", "run_skipped", "milestone", "output"};
  return kNames[static_cast<size_t>(type)];
}
constexpr std::optional<Type> type_named(std::string_view text) {
  for (const Type type : kTypes) {
    if (name(type) == text) return type;
  }
  return std::nullopt;
}

// A choice, or a text, or a choice with a text.
struct Answer {
  std::string choice = {};
  std::string text = {};

  friend bool operator==(const Answer&, const Answer&) = default;
};

struct Entry {
  std::string id = {};  // "question_…" or "report_…", and a ULID.
  Type type = Type::escalation;
  std::string run_id = {};
  std::string scope = {};
  std::string app = {};  // Of a run of an app; empty: of another run.
  WallMs at = 0;
  std::string text = {};  // The question or the summary.
  std::string data = {};  // JSON; empty: none.

  // Of a question.
  std::string context = {};
  std::vector<std::string> choices = {};  // Empty: any text is an answer.
  std::optional<WallMs> deadline = {};    // Not set: it never expires.
  bool waits = false;  // A process of the run waits for the answer, and has no use for a late one.
  State state = State::open;
  WallMs closed_at = 0;
  Answer answer = {};
  std::string closed_by = {};  // "owner" or "token" answered or dismissed it.

  bool is_question() const { return type == Type::escalation; }
  bool is_open() const { return is_question() && inbox::is_open(state); }
};

// The subject of its events.
std::string subject_of(const Entry& entry);

// The name of the app that a scope belongs to; empty: to none.
std::string app_of(std::string_view scope);

// Removes secrets of the run's environment from everything that is shown.
void redact(Entry& entry, const run::Secrets& secrets);

}  // namespace drover::inbox
