// Events and output as JSON objects, the same in a page and in a stream. The text is composed by
// hand because an event's data is JSON already, and parsing it again for each of a thousand
// subscribers is too slow.
#pragma once

#include <string>
#include <string_view>

#include "base/output_file.h"
#include "run/event.h"

namespace drover::api {

// {"cursor","seq","run_id","run_seq","type","time","trace_id","scope","data"}
void append_json(std::string& out, const run::Event& event, std::string_view cursor);

// {"run_id","stream","offset","time","text"} or, for bytes that are not UTF-8, "base64"; of a gap
// {"run_id","gap":{"from","to"}}. An empty `run_id` is left out.
void append_json(std::string& out, const OutputPiece& piece, std::string_view run_id);

// One server-sent event; `data` is one line. An empty cursor is left out.
void append_frame(std::string& out, std::string_view cursor, std::string_view type,
                  std::string_view data);

}  // namespace drover::api
