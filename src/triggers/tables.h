// The tables of the room triggers (docs/schema.md).
#pragma once

#include "store/transaction.h"

namespace drover::triggers {

extern const store::RoomSchema kTables;

}  // namespace drover::triggers
