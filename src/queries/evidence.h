// What is known of a run, also of one whose record was deleted: its record or the evidence left of
// it, its handle, and which attempt of it was the last.
#pragma once

#include <string_view>

#include "run/handle.h"
#include "store/evidence.h"

namespace drover::queries {

// The record of what `text` stands for (resolve.h), or the evidence left of it. not_found: there
// was never such a run.
Result<store::Evidence> find_evidence(store::Store& store, std::string_view text);

// Everything that the events of a run say of it; not_found if it has none. `text` is a whole id: a
// handle is a name, not a search.
Result<run::Handle> read_handle(store::Store& store, std::string_view text);

// Of a run that is tried again the last attempt whose record is there (R17). Attempts that were
// deleted lead to the ones after them.
Result<run::Record> last_attempt(store::Store& store, run::Record record);

}  // namespace drover::queries
