// Checks the includes and words of src/ against src/ORDER. The build runs it whenever a source has
// changed.
//
//   drover-arrows SRC            one line per complaint; exit code 1 if there are any
//   drover-arrows --debt SRC     the same in the format of ORDER.debt
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "cmd/arrows.h"

namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char** argv) {
  const bool debt = argc == 3 && std::string_view(argv[1]) == "--debt";
  if (argc != 2 && !debt) {
    std::fputs("usage: drover-arrows [--debt] SRC\n", stderr);
    return 2;
  }
  const std::string directory = argv[argc - 1];
  const auto order = drover::arrows::parse_order(contents(directory + "/ORDER"));
  const auto sources =
      order ? drover::arrows::read_sources(directory, *order)
            : drover::Result<std::vector<drover::arrows::Source>>(std::unexpected(order.error()));
  if (!sources) {
    std::fprintf(stderr, "%s\n", sources.error().message.c_str());
    return 2;
  }
  const auto found =
      drover::arrows::complaints(*order, *sources, debt ? "" : contents(directory + "/ORDER.debt"));
  for (const std::string& line : found) std::printf("%s%s\n", debt ? "" : "src/", line.c_str());
  if (debt || found.empty()) return 0;
  std::fputs("src/ORDER says which directory may use which.\n", stderr);
  return 1;
}
