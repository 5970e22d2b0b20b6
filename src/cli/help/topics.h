// Topics are the pages of `drover help TOPIC`, about subjects that concern more than one command.
// They are also sections of the manual page drover(1). Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace drover::cli {

struct Topic {
  std::string_view name;     // "exit-codes": typed as `drover help exit-codes`.
  std::string_view summary;  // One line.
  std::string (*text)();     // Whole sentences; an indented line is a row of a table.
};

std::span<const Topic> topics();

// Null: unknown.
const Topic* find_topic(std::string_view name);

// "NAME: summary", a blank line, the text.
std::string topic_page(const Topic& topic);

}  // namespace drover::cli
