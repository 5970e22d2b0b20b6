// Fuzzes the files of the spool: the first line is the file's name, the rest its contents. An
// accepted one is an entry within the limits of the API, at a time that the run can have written
// it.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "inbox/limits.h"
#include "inbox/spool_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  using namespace drover;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view line = input.substr(0, input.find('\n'));
  auto name = SpoolName::parse(line);
  if (name && name->text() != line) std::abort();
  if (!name) name = SpoolName::parse("run_01jc8x0000000000000000000a.key.json");
  const WallMs now = name->run.time() + 1'000;
  const auto entry =
      inbox::SpoolReader::read_message(*name, input.substr(std::min(line.size() + 1, size)), now);
  if (!entry) {
    if (entry.error().message.empty()) std::abort();
    return 0;
  }
  if (entry->at < name->run.time() || entry->at > now) std::abort();
  if (entry->text.empty() || entry->text.size() > inbox::kTextBytesMax) std::abort();
  if (entry->context.size() > inbox::kContextBytesMax) std::abort();
  if (entry->data.size() > inbox::kDataBytesMax) std::abort();
  if (entry->choices.size() > inbox::kChoicesMax) std::abort();
  if (entry->deadline && *entry->deadline > entry->at + inbox::kTimeoutMaxMs) std::abort();
  return 0;
}
