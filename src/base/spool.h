// The spool holds what runs ask and report while no daemon answers: one private file for each
// message, `<run id>.<key>.json` in <state>/spool. The command line writes them, and the daemon's
// inbox takes them up, once: the key is the idempotency key of the request. docs/inbox.md describes
// the contents.
//
// A file appears whole or not at all: it is written to another name, synced and renamed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/home.h"
#include "base/id.h"
#include "base/result.h"

namespace drover {

// A message is a question with its context.
inline constexpr size_t kSpoolBytesMax = 256 * 1024;
inline constexpr size_t kSpoolPerRunMax = 100;  // A loop must not fill the disk.
inline constexpr size_t kSpoolMax = 10'000;     // All runs together; 10 MB of small messages.
inline constexpr size_t kSpoolKeyBytesMax = 64;

// Its directory; it does not exist before the first message.
inline std::string spool_of(const Home& home) {
  return home.state + "/spool";
}

struct SpoolName {
  RunId run;
  std::string key;  // 1 to 64 lower-case letters, digits and dashes.

  std::string text() const { return run.str() + "." + key + ".json"; }
  // Not set: no program of ours gave a file this name.
  static std::optional<SpoolName> parse(std::string_view text);
};

// `spool_full`: the run, or all runs together, have too many files there; or this one is too large.
Result<> add_to_spool(const Home& home, const SpoolName& name, std::string_view contents);

// In the order of the runs and their keys. Removes what interrupted writers left. Empty if there is
// no spool.
std::vector<SpoolName> spooled(const Home& home);
Result<std::string> read_spooled(const Home& home, const SpoolName& name);
void remove_spooled(const Home& home, const SpoolName& name);

}  // namespace drover
