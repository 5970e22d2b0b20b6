// An OutputSource is a reader of one run's output in a stream: it keeps its offset, and encodes
// what it reads. Nothing is kept in memory between two calls.
//
// A small portion, such as the line that a command has just printed, is read on the loop: a worker
// would cost more than the read. A reader that is behind gets larger portions, read by a worker
// (work/pool.h), so that a large output delays no other client.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/stream/format.h"
#include "base/id.h"
#include "base/output_file.h"
#include "run/event.h"
#include "work/pool.h"

namespace drover::api {

namespace asio = boost::asio;

class OutputSource {
 public:
  OutputSource(const RunId& run, std::string directory, std::uint64_t offset)
      : run_(run),
        reader_(std::make_shared<OutputReader>(std::move(directory))),
        offset_(offset),
        is_behind_(offset > 0) {}

  // The run has finished and has printed this much: what is not kept is a gap, and no character
  // waits for its other half.
  void end_at(std::uint64_t printed) {
    reader_->expect(printed);
    ended_ = true;
  }

  // Where and how pieces are appended.
  struct Sink {
    std::string& out;
    const StreamFormat& format;
    size_t bytes_max;                            // Of output, read by a worker.
    const std::function<std::string()>& cursor;  // After the piece that was just passed.
    work::Pool& workers;
    work::Caller caller;
  };
  // Appends the next pieces. True: there may be more. The source stays where it is until then.
  asio::awaitable<Result<bool>> append_to(Sink sink);

  std::uint64_t offset() const { return offset_; }

 private:
  struct Portion {
    std::vector<OutputPiece> pieces;
    std::uint64_t next = 0;
    bool is_cut = false;
  };
  static Result<Portion> read(OutputReader& reader, std::uint64_t offset,
                              const OutputReader::Bounds& bounds);
  asio::awaitable<Result<Portion>> next_portion(const Sink& sink);
  void encode(const Sink& sink, Portion& portion);

  RunId run_;
  // Shared with the worker that reads: the stream may end first.
  std::shared_ptr<OutputReader> reader_;
  std::uint64_t offset_;
  bool is_behind_;  // The last portion was not all; of a stream that resumes, nobody knows.
  bool ended_ = false;
};

// The bytes that a run has printed, according to its final event; 0: not known.
std::uint64_t printed_by(const run::Event& end);

}  // namespace drover::api
