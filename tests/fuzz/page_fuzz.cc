// Fuzzes web pages and selectors: the first line is the selector, the rest the page. The result is
// a text within its limits, which is the same the second time, or a reason why there is none.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "triggers/poll/limits.h"
#include "triggers/poll/page.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  using namespace drover::triggers;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view line = input.substr(0, input.find('\n'));
  const std::string_view html = input.substr(std::min(line.size() + 1, size));
  auto selector = parse_selector(line);
  if (!selector) {
    if (selector.error().message.empty()) std::abort();
    selector = parse_selector("*");  // The page is tried anyway.
  }
  if (selector->steps.empty() || selector->steps.size() > kSelectorStepsMax) std::abort();
  const auto page = select(html, *selector);
  if (!page) {
    if (page.error().reason.empty() || page.error().message.empty()) std::abort();
    return 0;
  }
  if (page->matches == 0 || page->hash.size() != 64) std::abort();
  if (page->text.size() > kPageTextBytesMax || !drover::is_utf8(page->text)) std::abort();
  if (page_changed(select(html, *selector)->hash, *page)) std::abort();
  return 0;
}
