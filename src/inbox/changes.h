// The changes of the inbox: adding an entry, and closing a question. Each writes the row and its
// event in one transaction, and is called by a Work (store/transaction.h).
#pragma once

#include "inbox/entry.h"
#include "store/transaction.h"

namespace drover::inbox {

// Adds the entry to its run, under the key. Adds nothing if the key has been used for the same.
// Refused: `not_found`, `idempotency_key_reused`, `too_many_questions`.
Result<> add_entry(store::Transaction& transaction, Entry entry, const std::string& key);

// Closes the question, or changes nothing if that has happened before. Refused: see decision.h.
Result<> close_question(store::Transaction& transaction, const std::string& id, Happening happening,
                        const Answer& answer, const std::string& by);

}  // namespace drover::inbox
