// A lost database is one that is missing or empty while there are run files, which nothing but a
// database could have caused. Usually the generation file shows that it was lost
// (store/sqlite/generation.h). If that is gone, too, it is written here, before the database is
// opened: then the runs are taken up from their files (dispatch/recovery/take_up.h) instead of
// being cleaned up as leftovers.
#pragma once

#include "base/home.h"

namespace drover {

void note_lost_database(const Home& home);

}  // namespace drover
