#include "cli/help/topics.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "cli/help/topic_texts.h"

namespace drover::cli {
namespace {

constexpr auto kTopics = std::to_array<Topic>({
    {"handles", "Name a run in a command", topic_texts::handles},
    {"exit-codes", "Read the exit codes of drover", topic_texts::exit_codes},
    {"environment", "Use the environment variables of Drover", topic_texts::environment},
    {"retries", "Try failed runs again", topic_texts::retries},
    {"limits", "Limit the resources of a run", topic_texts::limits},
});

}  // namespace

std::span<const Topic> topics() {
  return kTopics;
}

const Topic* find_topic(std::string_view name) {
  const auto found = std::ranges::find(kTopics, name, &Topic::name);
  return found == kTopics.end() ? nullptr : &*found;
}

std::string topic_page(const Topic& topic, size_t width) {
  std::string out = fill(fmt::format("{}: {}", topic.name, topic.summary), width);
  for (const Section& section : topic.sections()) {
    out += "\n" + fill(section.text, width);
    if (!section.rows.empty()) out += "\n" + list(section.rows, width);
    if (!section.commands.empty()) out += "\n";
    for (const std::string& command : section.commands) out += command_lines(command, width);
  }
  return out;
}

}  // namespace drover::cli
