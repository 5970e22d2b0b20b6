#include "cli/client/output_page.h"

#include <charconv>

namespace drover::cli {

std::uint64_t next_offset_of(const CallAnswer& page) {
  std::uint64_t out = 0;
  const std::string& text = page.next_offset;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

Result<> pass_page(const CallAnswer& page, const std::function<Result<>(std::string_view)>& bytes,
                   const std::function<Result<>(std::uint64_t)>& gap) {
  const std::uint64_t next = next_offset_of(page);
  std::uint64_t behind = 0;
  for (const Gap& each : page.gaps) {
    if (each.to == next && !page.body.empty()) {
      behind = each.to - each.from;
    } else if (auto ok = gap(each.to - each.from); !ok) {
      return ok;
    }
  }
  if (auto ok = bytes(page.body); !ok) return ok;
  return behind == 0 ? Result<>{} : gap(behind);
}

}  // namespace drover::cli
