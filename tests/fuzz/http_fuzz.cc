// Fuzzes the HTTP socket with any bytes.
#include <cstdint>

#include "tests/fuzz/fuzz_door.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  using namespace drover::fuzz;
  expect_an_answer(door().answer_to({reinterpret_cast<const char*>(data), size}));
  return 0;
}
