// Events and output as the doors write them: one JSON object each, the same in a page and in a
// stream. Written by hand because an event's data already is JSON, and a thousand followers would
// each take it apart and put it together again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_file.h"
#include "run/event.h"

namespace drover::api {

// {"cursor","seq","run_id","run_seq","type","time","trace_id","scope","data"}
void append_json(std::string& out, const run::Event& event, std::string_view cursor);

// {"run_id","stream","offset","time","text"} or, for bytes that are not UTF-8, "base64".
// `run_id` may be empty: then it is left out.
void append_json(std::string& out, const OutputPiece& piece, std::string_view run_id);

// One server-sent event; `data` is one line.
void append_frame(std::string& out, std::string_view cursor, std::string_view type,
                  std::string_view data);

// Moves what is left of a character that was cut in two to the piece that follows it, where that
// is of the same stream and no byte lies between them. If `more` may come, the beginning of an
// unfinished character at the very end is held back and its offset returned: the place to go on.
std::optional<std::uint64_t> mend(std::vector<OutputPiece>& pieces, bool more);

// Joins neighbours of one stream and one millisecond: fewer, larger pieces, and nothing is lost.
void join(std::vector<OutputPiece>& pieces, size_t bytes_max);

}  // namespace drover::api
