// Traffic counts the requests and connections of the API, for metrics. Lives on the daemon's loop.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

namespace drover::api {

struct Traffic {
  std::map<unsigned, std::uint64_t> answers;  // By status.
  std::uint64_t streams = 0;                  // Open streams now.
  std::uint64_t lagged = 0;                   // Streams that fell too far behind, so far.
  std::uint64_t connections = 0;              // Open now.
  // Cancels and deletes that changed nothing, by the type of their event.
  std::map<std::string_view, std::uint64_t> refused_requests;
};

}  // namespace drover::api
