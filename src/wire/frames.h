// Frames carry a run's events and its output over one connection without encoding the bytes: the
// format of `GET /api/runs/{id}/events?follow=true&output=true&format=frames`. A frame is a header
// of 16 bytes in little-endian order and its payload; docs/events.md describes it. Pure.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace drover::wire {

inline constexpr std::string_view kFrames = "application/vnd.drover.frames";

enum class FrameKind : std::uint8_t {
  event = 1,   // "CURSOR TYPE JSON"; `offset` is of the output before it.
  output = 2,  // Bytes of output; `offset` is of the first.
  gap = 3,     // 8 bytes: the offset after the bytes that are not kept; `offset` is of the first.
  alive = 4,   // Nothing: the daemon is there.
};

struct FrameHeader {
  std::uint32_t payload_bytes = 0;
  FrameKind kind = FrameKind::alive;
  std::uint8_t stream = 0;  // Of output: 1 stdout, 2 stderr.
  std::uint16_t reserved = 0;
  std::uint64_t offset = 0;
};
static_assert(sizeof(FrameHeader) == 16);
static_assert(std::endian::native == std::endian::little);

inline void append_frame(std::string& out, FrameKind kind, std::uint64_t offset,
                         std::string_view payload, std::uint8_t stream = 0) {
  const FrameHeader header{.payload_bytes = static_cast<std::uint32_t>(payload.size()),
                           .kind = kind,
                           .stream = stream,
                           .offset = offset};
  out.append(reinterpret_cast<const char*>(&header), sizeof header).append(payload);
}

}  // namespace drover::wire
