// A memory is a Markdown file in which the runs of an app, or of a space, and their user keep what
// the next run has to know: <state>/memory/user.md, space/NAME.md, app/NAME.md. People edit the
// files with their editors.
//
// A memory is never absent: without a file its text is empty. Every change is atomic, and keeps the
// text that it replaces in the history. A change that names the revision it was made from is
// refused if the file has changed meanwhile (`memory_changed`), however it was changed: the new
// file is exchanged with the old one, and the old one is compared afterwards.
//
// No path leads out of the directory: names are checked, and no link is followed. Calls block on
// the disk. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "inbox/memory_history.h"
#include "inbox/memory_name.h"

namespace drover::inbox {

struct Memory {
  std::string text;
  std::string revision;  // Changes with the text.
};

class Memories {
 public:
  // `state`: the state directory. `clock` must outlive it.
  Memories(const std::string& state, const Clock& clock);

  Result<Memory> read(const MemoryName& name) const;
  // Replaces the text; with `from`, only if that is still the revision. A text beyond the limit
  // loses its first lines; the whole text is in the history.
  Result<Memory> write(const MemoryName& name, std::string text,
                       const std::optional<std::string>& from) const;
  // Those that have a file, sorted.
  std::vector<MemoryName> list() const;

  // Newest first.
  Result<std::vector<MemoryVersion>> log(const MemoryName& name) const;
  // `not_found`: there is no such version, or no more.
  Result<Memory> read_version(const MemoryName& name, const std::string& version) const;

 private:
  std::string directory_;
  const Clock& clock_;
};

}  // namespace drover::inbox
