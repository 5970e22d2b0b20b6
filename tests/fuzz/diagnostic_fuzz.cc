// Fuzzes a line of a validation's output: it is a printable diagnostic, or an ordinary line.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "play/diagnostics.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const auto diagnostic = drover::play::read_diagnostic(line);
  if (diagnostic && !drover::is_utf8(as_text(*diagnostic))) std::abort();
  return 0;
}
