#include "store/sqlite/generation.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "base/fnv.h"

namespace drover::store::sqlite {
namespace {

struct Content {
  char magic[8] = {'D', 'R', 'V', 'G', 'E', 'N', '1', '\n'};
  std::int64_t seq = 0;
  std::uint64_t checksum = 0;
};

std::uint64_t checksum(const Content& content) {
  return fnv({reinterpret_cast<const char*>(&content), offsetof(Content, checksum)});
}

}  // namespace

Generation::Generation(const std::string& path) {
  if (path.empty()) return;
  file_ = open_file(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  Content found;
  const Content plain;
  if (!file_ || ::pread(file_.get(), &found, sizeof found, 0) != sizeof found) return;
  if (std::memcmp(found.magic, plain.magic, sizeof plain.magic) != 0) return;
  if (found.checksum == checksum(found) && found.seq > 0) known_ = noted_ = found.seq;
}

void Generation::note(std::int64_t seq) {
  if (!file_ || seq <= noted_) return;
  Content content;
  content.seq = seq;
  content.checksum = checksum(content);
  if (::pwrite(file_.get(), &content, sizeof content, 0) == sizeof content) noted_ = seq;
}

}  // namespace drover::store::sqlite
