// Rewrites the numbers of serialized JSON: 1.5 where the library wrote 1.5E0. Nothing else changes.
#pragma once

#include <string>

namespace drover {

std::string plain_numbers(std::string json);

}  // namespace drover
