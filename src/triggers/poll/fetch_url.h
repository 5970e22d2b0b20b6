// Which URLs may be polled: http and https, without a user or a password (they would be stored and
// shown), and with a host. A host that is written as an address is judged here already; names are
// judged by the addresses they have when they are fetched (fetcher.h). Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::triggers {

// A checked URL: absolute, without a fragment.
struct FetchUrl {
  std::string text;
  std::string host;  // In lower case, without brackets and port.
};

// The error's param is `url`. Reasons: invalid_value, address_not_allowed.
Result<FetchUrl> parse_fetch_url(std::string_view text, bool allow_private);

}  // namespace drover::triggers
