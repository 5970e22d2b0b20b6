// Topics are the pages of `drover help TOPIC`, about subjects that concern more than one command.
// They are also sections of the manual page drover(1). Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/help/layout.h"

namespace drover::cli {

// A part of a topic. The table and the commands belong below its text.
struct Section {
  std::string text;                        // Whole sentences; a blank line starts a paragraph.
  std::vector<Row> rows = {};              // A table.
  std::vector<std::string> commands = {};  // As typed in a shell.
};

struct Topic {
  std::string_view name;     // "exit-codes": typed as `drover help exit-codes`.
  std::string_view summary;  // One line.
  std::vector<Section> (*sections)();
};

std::span<const Topic> topics();

// Null: unknown.
const Topic* find_topic(std::string_view name);

// "NAME: summary", then the sections, with blank lines between them.
std::string topic_page(const Topic& topic, size_t width);

}  // namespace drover::cli
