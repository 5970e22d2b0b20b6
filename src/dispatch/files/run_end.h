// A run's end file, `<id>/end` in its directory, says how a run ended that had no keeper to write
// it into the journal: a composite, a run that was canceled before it started, an abandoned one. It
// is written before any caller gets an answer, and read only after an older database was restored,
// so that such a run is not started again. JSON: the data of the final event, and a composite's
// last phase.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/home.h"
#include "run/event.h"
#include "run/fact.h"

namespace drover::dispatch {

// Whether the journal does not tell how this finished run ended.
bool needs_end_file(const run::Record& record, bool composite);

// `events` are those of the commit that finished the run.
Result<> write_end(const Home& home, const run::Record& record, std::span<const run::Event> events);

// Nothing: there is none, or it cannot be read.
std::optional<run::KnownEnd> read_end(const Home& home, const RunId& id);

}  // namespace drover::dispatch
