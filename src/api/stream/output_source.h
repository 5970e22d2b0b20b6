// An OutputSource is a reader of one run's output in a stream: it keeps its place, and encodes what
// it reads. Nothing is kept in memory between two calls.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "api/stream/format.h"
#include "base/id.h"
#include "base/output_file.h"
#include "run/event.h"

namespace drover::api {

class OutputSource {
 public:
  OutputSource(const RunId& run, std::string directory, std::uint64_t offset)
      : run_(run), reader_(std::move(directory)), offset_(offset) {}

  // The run has finished and has printed this much: what is not kept is a gap, and no character
  // waits for its other half.
  void end_at(std::uint64_t printed) {
    reader_.expect(printed);
    ended_ = true;
  }

  struct Wish {
    std::string& out;
    const StreamFormat& format;
    size_t bytes_max;
    const std::function<std::string()>& cursor;  // After the piece that was just passed.
  };
  // Appends the next pieces. True: there may be more.
  Result<bool> append_to(const Wish& wish);

  std::uint64_t offset() const { return offset_; }

 private:
  RunId run_;
  OutputReader reader_;
  std::uint64_t offset_;
  bool ended_ = false;
};

// The bytes that a run has printed, according to its terminal event; 0: not known.
std::uint64_t printed_by(const run::Event& end);

}  // namespace drover::api
