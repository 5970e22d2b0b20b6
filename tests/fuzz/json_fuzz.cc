// Fuzzes the bodies of all operations that take JSON. The first byte chooses the operation.
#include <cstdint>
#include <vector>

#include "tests/every_operation.h"
#include "tests/fuzz/fuzz_door.h"

namespace {

std::vector<const drover::wire::Operation*> that_take_json() {
  std::vector<const drover::wire::Operation*> out;
  for (const drover::wire::Operation* operation : drover::tests::every_operation()) {
    if (operation->body == drover::wire::Body::json) out.push_back(operation);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  using namespace drover::fuzz;
  static const auto operations = that_take_json();
  if (size == 0) return 0;
  const auto& operation = *operations[data[0] % operations.size()];
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string request(operation.method);
  std::string path(operation.path);
  if (const size_t begin = path.find('{'); begin != std::string::npos) {
    path.replace(begin, path.find('}') + 1 - begin, "@last");
  }
  request.append(" ").append(path).append(" HTTP/1.1\r\nContent-Type: application/json\r\n");
  request.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  expect_an_answer(door().answer_to(request.append(body)));
  return 0;
}
