// Fuzzes the files that declare triggers with any bytes: the result is a list of triggers that the
// API would accept as they are, or problems with their lines; never a crash.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "triggers/declared/declaration.h"
#include "triggers/declared/limits.h"
#include "triggers/definition/spec.h"

namespace {

using namespace drover::triggers;

void check(const DeclaringFile& file, std::string_view text) {
  const Declarations read = read_declarations(file, text);
  if (read.problems.size() > kProblemsPerFileMax) std::abort();
  for (const Problem& one : read.problems) {
    if (one.file != file.path || one.line == 0 || one.column == 0) std::abort();
    if (one.message.empty()) std::abort();
  }
  if (!read.problems.empty()) return;
  for (const Declaration& one : read.triggers) {
    const auto spec = read_spec(one.fields, 0);
    if (!spec || spec->name != one.name || fields_of(*spec) != one.fields) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check({.path = "/c/a.toml"}, text);
  check({.path = "/p/drover.toml", .root = "/p"}, text);
  return 0;
}
