// The Outside of a simulated month is what exists beside the daemon and outlives it: the programs
// that post events, the senders of webhooks, the servers of feeds and pages, and the directories
// that are watched. It remembers what it did; the oracle compares the ledger with that.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "triggers/month/plan_fixture.h"
#include "triggers/poll/poller.h"

namespace drover::triggers::month {

struct PostedToLog {
  int number = 0;  // In its payload.
  int digit = 0;
  std::string type;
  std::string key;  // For dedup; empty: none.
  bool confirmed = false;
};

struct Delivered {
  std::string trigger;
  std::string body;
  int digit = 0;
  bool confirmed = false;
  std::string event_id = {};  // Of the first answer.
  std::string run_id = {};
};

struct Outside {
  std::vector<PostedToLog> posted = {};
  std::vector<Delivered> delivered = {};
  std::map<std::string, int> published = {};  // By URL: the number of items or versions.
  std::map<std::string, std::vector<std::string>> written = {};  // By trigger: names of files.

  // The body of an event with this number. Some are larger than a variable of a process may be.
  static std::string payload(int number, int digit);
  static std::string request(const PostedToLog& event);

  // The answer of a server at `now`, or its error. No errors within `calm`.
  Result<Fetched> answer(const FetchRequest& request, std::uint64_t seed, WallMs now,
                         bool calm) const;
};

// A signed request: `headers` and `body` must outlive it.
inline constexpr std::string_view kHookSecret = "the secret of a simulated month";
std::string hook_signature(std::string_view body);

}  // namespace drover::triggers::month
