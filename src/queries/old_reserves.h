// Old reserves: output beyond the limit that finished runs of an earlier daemon still keep for an
// exact reader (queries/exact_readers.h).
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/home.h"
#include "queries/exact_readers.h"
#include "store/read_pool.h"

namespace drover::queries {

// Gives the readers time to connect to this daemon, then looks at all finished runs, a page at a
// time, and removes the reserves that nobody reads. Everything borrowed must outlive it.
asio::awaitable<void> remove_old_reserves(ExactReaders& readers, store::ReadPool& reads, Home home);

}  // namespace drover::queries
