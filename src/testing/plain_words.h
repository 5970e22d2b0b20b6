// A checker for texts that people read: help, messages, descriptions. It knows the rules of plain
// words that a machine can check. Each function returns one sentence for each violation.
//
// The functions take a text and do not care where it comes from: a list of commands, an HTTP
// description, a string literal of a source file.
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
});

// Good English that contains a retired phrase.
inline constexpr auto kKeptPhrases = std::to_array<std::string_view>({"is no longer"});

// A sentence with one of these as its subject is a riddle.
inline constexpr auto kRiddles =
    std::to_array<std::string_view>({"what", "who", "whoever", "that which"});

// A summary starts with one of these. A new command may need a new one.
inline constexpr auto kVerbs = std::to_array<std::string_view>({
    "Attach", "Build",      "Cancel",   "Change", "Check",  "Create", "Explain", "Export",
    "Follow", "Limit",      "List",     "Manage", "Move",   "Name",   "Open",    "Print",
    "Read",   "Refuse",     "Register", "Remove", "Report", "Reset",  "Resume",  "Revoke",
    "Ring",   "Run",        "Send",     "Set",    "Show",   "Skip",   "Start",   "Stop",
    "Try",    "Unregister", "Use",      "Wait",   "Watch",  "Write",
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

// Retired words, and sentences whose subject is a riddle. For every text.
inline std::vector<std::string> violations(std::string_view text) {
  using namespace plain_words;
  const std::string line = lower(one_line(text));
  std::vector<std::string> out;
  for (const RetiredWord& word : kRetiredWords) {
    for (size_t at = line.find(word.phrase); at != std::string::npos;
         at = line.find(word.phrase, at + 1)) {
      const bool kept = std::ranges::any_of(
          kKeptPhrases, [&](std::string_view phrase) { return stands_at(line, phrase, at); });
      if (kept || !stands_at(line, word.phrase, at)) continue;
      out.push_back("\"" + std::string(word.phrase) + "\" is retired; use " +
                    std::string(word.instead) + ": " + std::string(text));
    }
  }
  for (size_t at = 0; at < line.size(); ++at) {
    const bool begins =
        at == 0 || (at > 1 && line[at - 1] == ' ' &&
                    std::string_view(".;:!?").find(line[at - 2]) != std::string_view::npos);
    if (!begins) continue;
    for (const std::string_view riddle : kRiddles) {
      if (!stands_at(line, riddle, at)) continue;
      out.push_back("a sentence begins with \"" + std::string(riddle) +
                    "\"; name the thing: " + std::string(text));
    }
  }
  return out;
}

// The same, for texts that are whole sentences.
inline std::vector<std::string> sentence_violations(std::string_view text) {
  std::vector<std::string> out = violations(text);
  if (!text.ends_with('.')) out.push_back("it does not end with a period: " + std::string(text));
  return out;
}

// The same, for short texts in lists: a capital letter in front, no period behind.
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
