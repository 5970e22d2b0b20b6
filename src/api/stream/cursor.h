// A Cursor is the position of a subscriber: the number of the last event it has read and, in a
// run's own stream, how many bytes of output; in a stream of all output, how many bytes of each run
// that it follows: "17-0a1b2c3d", "17-0a1b2c3d.4096" or "17-0a1b2c3d,run_a:4096,run_b:10". After
// the number is the epoch of the event (store/epochs.h); a number that a person types has none.
// Clients treat it as opaque.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "store/epochs.h"

namespace drover::api {

struct Cursor {
  std::int64_t seq = 0;
  std::uint64_t offset = 0;
  std::string epoch = {};
  // Of a stream of all output. False: the offsets are not known.
  bool has_outputs = false;
  std::vector<std::pair<RunId, std::uint64_t>> outputs = {};

  // The offset in the output of this run.
  std::uint64_t offset_of(const RunId& run) const;
};

Result<Cursor> parse_cursor(std::string_view text, std::string_view param);

std::string text_of(std::int64_t seq, const store::Epochs& epochs);
// The epoch is that of its event, whatever `cursor.epoch` says.
std::string text_of(const Cursor& cursor, const store::Epochs& epochs);

// Whether the log still continues at a cursor. If not, the reader gets `lagged`, and continues at
// `resume_at`.
struct CursorVerdict {
  bool lagged = false;
  Cursor resume_at = {};
  // The most events that were compacted, or, after an older database was restored, that the reader
  // has to read, some of them perhaps a second time.
  std::int64_t missed = 0;
};
// `last_seq` is the end of the log, `compacted_through` the newest compacted event that may concern
// this reader (store.h).
CursorVerdict judge(const Cursor& cursor, std::int64_t last_seq, const store::Epochs& epochs,
                    std::int64_t compacted_through = 0);

// The data of a `lagged` event, and the field `lagged` of a page.
std::string lagged_text(std::int64_t missed, std::string_view cursor);

}  // namespace drover::api
