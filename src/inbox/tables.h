// The tables of the room inbox (docs/schema.md).
#pragma once

#include "store/transaction.h"

namespace drover::inbox {

extern const store::RoomSchema kTables;

}  // namespace drover::inbox
