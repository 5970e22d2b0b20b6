// A checker for texts that people read: help, messages, descriptions. It knows the rules of plain
// words that a machine can check. Each function returns one sentence for each violation.
//
// The functions take a text and do not care where it comes from: a list of commands, an HTTP
// description, a string literal or a comment of a source file.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace drover::testing {

struct RetiredWord {
  std::string_view phrase;
  std::string_view instead;
  bool is_value = false;  // Programs read it, too: in quotation marks or backticks it is a value.
};

// The retired words that a machine can find, from docs/words.md. Whole words, in any case.
inline constexpr auto kRetiredWords = std::to_array<RetiredWord>({
    {"folder", "directory"},
    {"folders", "directories"},
    {"mend", "fix"},
    {"mends", "fixes"},
    {"mended", "fixed"},
    {"whoever", "the name of the actor"},
    {"under way", "active, or running"},
    {"come to", "the verb that is meant"},
    {"comes to", "the verb that is meant"},
    {"go on", "continue, or keep running"},
    {"goes on", "continues, or keeps running"},
    {"went on", "continued, or kept running"},
    {"cancelled", "canceled"},
    {"cancelling", "canceling"},
    {"colour", "color"},
    {"is no", "is not a, or invalid"},
    {"there is not", "the positive sentence"},
    {"be told", "the verb that is meant"},
    {"is told", "the verb that is meant"},
    {"are told", "the verb that is meant"},
    {"was told", "the verb that is meant"},
    {"were told", "the verb that is meant"},
    {"milestone", "progress, or the type `milestone` of a report", true},
    {"milestones", "progress"},
    {"behaviour", "behavior"},
    {"neighbour", "neighbor"},
    {"labelled", "labeled"},
    {"acknowledgement", "acknowledgment"},
});

// Retired names of types, which say nothing to a reader of the code.
inline constexpr auto kRetiredNames = std::to_array<RetiredWord>({
    {"Once", "IdempotencyKey, or a name of what happens once"},
    {"Again", "RetryRequest"},
    {"Typed", "Input"},
    {"Ear", "RevocationListener"},
    {"Pressed", "PlayAnswer"},
    {"Moment", "JudgementContext, or a time"},
    {"Surroundings", "environment"},
    {"Asked", "a noun: request, or question"},
    {"Told", "a noun: answer, or message"},
    {"Wish", "a noun: request, or options"},
    {"Held", "a noun that says by whom"},
    {"Ground", "a noun: the thing itself"},
});

// Words of the third column of docs/words.md that are right for another thing, which a machine
// cannot tell apart. The other words of the column are searched in texts for people.
struct OrdinaryWord {
  std::string_view word;
  std::string_view means;
};
inline constexpr auto kOrdinaryWords = std::to_array<OrdinaryWord>({
    {"job", "a job of another program, such as CI"},
    {"task", "a thing that a reader wants to do"},
    {"supervisor", "systemd, or another that watches the daemon"},
    {"process", "a process of the kernel"},
    {"title", "the title of a page or a column"},
    {"tag", "a tag of HTML or git"},
    {"status", "the status of HTTP, of the daemon or of a service"},
    {"live", "not replayed"},
    {"dead", "a keeper or daemon that died"},
    {"over", "by way of, or more than"},
    {"kill", "SIGKILL"},
    {"deadline", "the time when a question expires"},
    {"end", "the noun"},
    {"try", "try again"},
    {"wait", "to wait"},
    {"pool", "a pool of threads"},
    {"server", "a server of other programs"},
    {"service", "a service of systemd"},
    {"report", "a report of a run"},
    {"history", "the history of a memory, a trigger or the schema"},
    {"message", "a text for people"},
    {"notice", "a text for people"},
    {"place", "a place in a file"},
    {"mark", "a mark of a run's processes"},
    {"listener", "a socket that listens"},
    {"hook", "a webhook"},
    {"once", "one time, or as soon as"},
    {"leave", "to leave out, to leave running"},
    {"delete", "to delete a file or another thing than a run"},
    {"session", "has a rule of its own"},
    {"room", "space"},
});

// Good English that contains a retired phrase.
inline constexpr auto kKeptPhrases = std::to_array<std::string_view>({"is no longer"});

// "There is no run x" is plain English; `x is no run` is not.
inline constexpr std::string_view kThereIsNo = "there is no";

// A sentence with one of these as its subject is a riddle.
inline constexpr auto kRiddles =
    std::to_array<std::string_view>({"what", "who", "whoever", "that which"});

// The kinds of sessions, from docs/words.md.
inline constexpr auto kSessions =
    std::to_array<std::string_view>({"play ", "browser ", "process ", "login "});

// A summary starts with one of these. A new command may need a new one.
inline constexpr auto kVerbs = std::to_array<std::string_view>({
    "Answer",  "Ask",    "Attach", "Build",      "Cancel", "Change", "Check", "Close",    "Create",
    "Explain", "Export", "Follow", "Limit",      "List",   "Manage", "Move",  "Name",     "Open",
    "Print",   "Read",   "Refuse", "Register",   "Remove", "Report", "Reset", "Resume",   "Revoke",
    "Fire",    "Pause",  "Post",   "Ring",       "Run",    "Send",   "Set",   "Show",     "Skip",
    "Start",   "Stop",   "Try",    "Unregister", "Use",    "Wait",   "Watch", "Withdraw", "Write",
});

inline constexpr size_t kSummaryCharactersMax = 60;

namespace plain_words {

inline std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

inline bool is_letter(std::string_view text, size_t at) {
  return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0;
}

inline bool stands_at(std::string_view text, std::string_view phrase, size_t at) {
  return text.substr(at).starts_with(phrase) && !is_letter(text, at + phrase.size()) &&
         (at == 0 || !is_letter(text, at - 1));
}

// Whether it is the whole text, in quotation marks or in backticks: a value, or the name of one.
inline bool is_quoted(std::string_view text, size_t at, size_t size) {
  if (size == text.size()) return true;
  if (at == 0 || at + size >= text.size()) return false;
  return text[at - 1] == text[at + size] && (text[at - 1] == '"' || text[at - 1] == '`');
}

// How many characters of UTF-8.
inline size_t characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Line ends and several blanks in a row count as one blank, so that a phrase is found across them.
inline std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

}  // namespace plain_words

// Retired words. For every text.
inline std::vector<std::string> retired_words(std::string_view text) {
  using namespace plain_words;
  const std::string line = lower(one_line(text));
  std::vector<std::string> out;
  for (const RetiredWord& word : kRetiredWords) {
    for (size_t at = line.find(word.phrase); at != std::string::npos;
         at = line.find(word.phrase, at + 1)) {
      const bool kept = std::ranges::any_of(
          kKeptPhrases, [&](std::string_view phrase) { return stands_at(line, phrase, at); });
      const size_t from = at - std::min(at, kThereIsNo.size() - word.phrase.size());
      if (word.phrase == "is no" && stands_at(line, kThereIsNo, from)) continue;
      if (kept || !stands_at(line, word.phrase, at)) continue;
      if (word.is_value && is_quoted(line, at, word.phrase.size())) continue;
      out.push_back("\"" + std::string(word.phrase) + "\" is retired; use " +
                    std::string(word.instead) + ": " + std::string(text));
    }
  }
  return out;
}

// Sentences whose subject is a riddle. `ends` are the characters that end a sentence: a colon may
// introduce a list ("It says: what failed, who called").
inline std::vector<std::string> subject_violations(std::string_view text,
                                                   std::string_view ends = ".;!?") {
  using namespace plain_words;
  const std::string line = lower(one_line(text));
  std::vector<std::string> out;
  for (size_t at = 0; at < line.size(); ++at) {
    const bool begins = at == 0 || (at > 1 && line[at - 1] == ' ' && ends.contains(line[at - 2]));
    if (!begins) continue;
    for (const std::string_view riddle : kRiddles) {
      if (!stands_at(line, riddle, at)) continue;
      out.push_back("a sentence begins with \"" + std::string(riddle) +
                    "\"; name the thing: " + std::string(text));
    }
  }
  return out;
}

// Both, for texts that people read in help and messages.
inline std::vector<std::string> violations(std::string_view text) {
  std::vector<std::string> out = retired_words(text);
  for (std::string& one : subject_violations(text, ".;:!?")) out.push_back(std::move(one));
  return out;
}

// A session of an unnamed kind: a play, a browser and the kernel each have their own. A name in a
// program, such as "session" or play.sessions, has other characters around it.
inline std::vector<std::string> session_violations(std::string_view text) {
  using namespace plain_words;
  const std::string line = lower(one_line(text));
  std::vector<std::string> out;
  for (size_t at = line.find("session"); at != std::string::npos;
       at = line.find("session", at + 1)) {
    const size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz", at);
    const size_t length = (end == std::string::npos ? line.size() : end) - at;
    const bool word = length <= std::string_view("sessions").size() &&
                      (at == 0 || line[at - 1] == ' ' || line[at - 1] == '(') &&
                      line != "session" &&
                      (end == std::string::npos || std::string_view(" ,.;:)'").contains(line[end]));
    const std::string_view before(line.data(), at);
    const bool named = std::ranges::any_of(kSessions, [&](std::string_view kind) {
      return before.ends_with(kind) && !is_letter(before, before.size() - kind.size() - 1);
    });
    if (word && !named) out.push_back("name the kind of session: " + std::string(text));
  }
  return out;
}

// The same, for texts that are whole sentences.
inline std::vector<std::string> sentence_violations(std::string_view text) {
  std::vector<std::string> out = violations(text);
  if (!text.ends_with('.')) out.push_back("it does not end with a period: " + std::string(text));
  return out;
}

// The same, for short texts in lists: a capital letter in front, no period after.
inline std::vector<std::string> label_violations(std::string_view text) {
  std::vector<std::string> out = violations(text);
  if (text.empty()) out.emplace_back("it is empty");
  if (!text.empty() && std::isupper(static_cast<unsigned char>(text.front())) == 0) {
    out.push_back("it does not begin with a capital letter: " + std::string(text));
  }
  if (text.ends_with('.')) out.push_back("it ends with a period: " + std::string(text));
  return out;
}

// The same, for the one line that says what a command does.
inline std::vector<std::string> summary_violations(std::string_view text) {
  std::vector<std::string> out = label_violations(text);
  if (plain_words::characters(text) > kSummaryCharactersMax) {
    out.push_back("it is too long: " + std::string(text));
  }
  const std::string_view first = text.substr(0, text.find(' '));
  if (std::ranges::find(kVerbs, first) == kVerbs.end()) {
    out.push_back("it does not begin with a known verb: " + std::string(text));
  }
  return out;
}

// Lines of `page` that are wider than `most` columns, if every character takes one.
inline std::vector<std::string> width_violations(std::string_view page, size_t most) {
  std::vector<std::string> out;
  while (!page.empty()) {
    const std::string_view line = page.substr(0, page.find('\n'));
    page.remove_prefix(std::min(page.size(), line.size() + 1));
    if (plain_words::characters(line) > most) out.push_back("too wide: " + std::string(line));
  }
  return out;
}

}  // namespace drover::testing
