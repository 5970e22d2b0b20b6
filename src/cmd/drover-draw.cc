// Draws the pictures of the documents from the code, so that they are always up to date.
//
//   drover-draw life            the states of a run and their transitions
//   drover-draw play            the same for a play session
//   drover-draw map             the directories and their includes
//   drover-draw --write FILES   redraws every picture in these documents
//   drover-draw --check FILES   fails if a picture is out of date (a test does this)
//
// A picture is between `<!-- drawn: NAME -->` and `<!-- /drawn -->`.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cmd/arrows.h"
#include "play/life.h"
#include "run/life.h"

namespace drover {
namespace {

std::string contents(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string fenced(const std::string& diagram) {
  return "```mermaid\n" + diagram + "```\n";
}

constexpr std::string_view kLooks =
    "    classDef good fill:#dcfce7,stroke:#15803d,color:#14532d\n"
    "    classDef bad fill:#fee2e2,stroke:#b91c1c,color:#7f1d1d\n"
    "    classDef live fill:#dbeafe,stroke:#1d4ed8,color:#1e3a8a\n";

// Every row of a table of states, and the style of each state.
template <class Table, class States, class Look>
std::string draw_states(std::string_view first, const Table& table, const States& states,
                        Look look) {
  std::string out = "stateDiagram-v2\n    direction LR\n    [*] --> " + std::string(first) + '\n';
  for (const auto& step : table) {
    out += "    " + std::string(name(step.from)) + " --> " + std::string(name(step.to));
    // If a happening has the name of the state it leads to, print it once.
    if (name(step.happening) != name(step.to)) out += ": " + std::string(name(step.happening));
    out += '\n';
  }
  out += kLooks;
  for (const auto state : states) {
    out += "    class " + std::string(name(state)) + ' ' + look(state) + '\n';
  }
  return fenced(out);
}

std::string draw_life() {
  return draw_states("queued", run::kLife, run::kStates, [](run::State state) {
    return is_active(state) ? "live" : state == run::State::completed ? "good" : "bad";
  });
}

std::string draw_play() {
  return draw_states("idle", play::kLife, play::kStates, [](play::State state) {
    if (!is_at_rest(state)) return "live";
    return state == play::State::idle || state == play::State::stopped ? "good" : "bad";
  });
}

using Uses = std::map<std::string, std::set<std::string>>;

bool reaches(const Uses& uses, const std::string& from, const std::string& to) {
  const auto found = uses.find(from);
  if (found == uses.end()) return false;
  return std::ranges::any_of(found->second, [&](const std::string& next) {
    return next == to || reaches(uses, next, to);
  });
}

// The includes of the programs' sources, without those of tests.
Uses read_includes() {
  const auto order = arrows::parse_order(contents(DROVER_SOURCES "/ORDER"));
  const auto sources = order ? arrows::read_sources(DROVER_SOURCES, *order)
                             : Result<std::vector<arrows::Source>>(std::unexpected(order.error()));
  Uses uses;
  if (!sources) return uses;
  for (const arrows::Source& source : *sources) {
    if (!source.is_test()) uses[std::string(source.directory())].merge(std::set(source.uses));
  }
  for (auto& [directory, used] : uses) used.erase("testing");
  return uses;
}

std::string draw_map() {
  const Uses uses = read_includes();
  std::string out = "flowchart TD\n";
  for (const auto& [directory, all] : uses) {
    for (const std::string& used : all) {
      // Skip an include that a chain of others implies: it would only clutter the picture.
      const bool implied = std::ranges::any_of(all, [&](const std::string& other) {
        return other != used && reaches(uses, other, used);
      });
      if (!implied) out += "    " + directory + " --> " + used + '\n';
    }
  }
  return fenced(out);
}

std::optional<std::string> draw(std::string_view picture) {
  if (picture == "life") return draw_life();
  if (picture == "play") return draw_play();
  if (picture == "map") return draw_map();
  return std::nullopt;
}

// The document with every picture redrawn.
Result<std::string> redraw(std::string_view text) {
  constexpr std::string_view kBegin = "<!-- drawn: ";
  constexpr std::string_view kEnd = "<!-- /drawn -->";
  std::string out;
  while (true) {
    const size_t begin = text.find(kBegin);
    if (begin == std::string_view::npos) return out.append(text);
    const size_t named = begin + kBegin.size();
    const size_t line = text.find(" -->\n", named);
    const size_t end = text.find(kEnd, named);
    if (line == std::string_view::npos || end == std::string_view::npos || end < line) {
      return fail_invalid("drawn", "a picture has no end; close it with <!-- /drawn -->");
    }
    const std::string_view picture = text.substr(named, line - named);
    const auto drawn = draw(picture);
    if (!drawn) return fail_invalid("drawn", "unknown picture: " + std::string(picture));
    out.append(text.substr(0, line + 5)).append(*drawn).append(kEnd);
    text.remove_prefix(end + kEnd.size());
  }
}

int process_documents(std::span<char*> documents, bool write) {
  int wrong = 0;
  for (const char* path : documents) {
    const std::string before = contents(path);
    const auto after = redraw(before);
    if (after && *after == before) continue;
    if (after && write) {
      std::ofstream(path, std::ios::binary) << *after;
      continue;
    }
    std::fprintf(stderr, "%s: %s\n", path,
                 after ? "a picture differs from the code; run ./dev format"
                       : after.error().message.c_str());
    wrong = 1;
  }
  return wrong;
}

}  // namespace
}  // namespace drover

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const std::span arguments(argv, static_cast<size_t>(argc));
  if (what == "--write" || what == "--check") {
    return drover::process_documents(arguments.subspan(2), what == "--write");
  }
  const auto picture = drover::draw(what);
  if (!picture) {
    std::fputs("usage: drover-draw life | play | map | --write FILES | --check FILES\n", stderr);
    return 2;
  }
  std::fputs(picture->c_str(), stdout);
  return 0;
}
