// Drover-Gap is the header that names bytes of a run's output that a response lacks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/http/response.h"

namespace drover::api {

struct ByteGap {
  std::uint64_t from = 0;
  std::uint64_t to = 0;  // The offset after it.
};

inline void add_gap(Response& response, const ByteGap& gap) {
  response.headers.emplace_back(
      "Drover-Gap", "from=" + std::to_string(gap.from) + ", to=" + std::to_string(gap.to));
}

}  // namespace drover::api
