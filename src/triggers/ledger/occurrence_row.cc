#include "triggers/ledger/occurrence_row.h"

namespace drover::triggers {

Occurrence occurrence_in(const store::Values& row, size_t at) {
  return {.key = row[at].text(),
          .due_at = row[at + 1].integer(),
          .outcome = outcome_named(row[at + 2].text()),
          .reason = row[at + 3].text(),
          .run_id = row[at + 4].text(),
          .count = row[at + 5].integer(),
          .first_key = row[at + 6].text(),
          .event = row[at + 7].text(),
          .chain = row[at + 8].text(),
          .decided_at = row[at + 9].integer(),
          .number = row[at + 10].integer()};
}

}  // namespace drover::triggers
