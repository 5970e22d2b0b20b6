// The texts of the topics in topics.h. Pure.
#pragma once

#include <vector>

#include "cli/help/topics.h"

namespace drover::cli::topic_texts {

std::vector<Section> handles();
std::vector<Section> exit_codes();
std::vector<Section> environment();
std::vector<Section> retries();
std::vector<Section> limits();  // In topic_limits.cc.

}  // namespace drover::cli::topic_texts
