// An output page is one answer of a run's output as raw bytes. The daemon ends a page at a gap, and
// names the gaps before and after the page's bytes in headers.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "cli/client/client.h"

namespace drover::cli {

// The offset to continue from.
std::uint64_t next_offset_of(const CallAnswer& page);

// Passes the page on in order: its gaps by their size, and its bytes.
Result<> pass_page(const CallAnswer& page, const std::function<Result<>(std::string_view)>& bytes,
                   const std::function<Result<>(std::uint64_t)>& gap);

}  // namespace drover::cli
