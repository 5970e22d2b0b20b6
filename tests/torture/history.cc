#include "tests/torture/history.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>

#include "run/life.h"
#include "tests/harness.h"

namespace drover::tests {
namespace {

bool is_end(const std::string& type) {
  const auto state = run::state_named(type.substr(type.find('.') + 1));
  return state && run::is_finished(*state);
}

}  // namespace

History read_history(TorturedHome& tortured) {
  History history;
  std::int64_t last_seq = 0;
  for (std::string after = "0";;) {
    const DaemonAnswer page =
        tortured.ask({.method = "GET", .target = "/api/events?limit=1000&after=" + after});
    EXPECT_EQ(page.status, 200) << page.text;
    const auto& events = page.body.at("events").as_array();
    if (events.empty()) return history;
    for (const auto& value : events) {
      const auto& event = value.as_object();
      const auto seq = event.at("seq").to_number<std::int64_t>();
      EXPECT_GT(seq, last_seq);
      last_seq = seq;
      if (!event.contains("run_id")) continue;  // An event about a lane, say.
      RunHistory& life = history[text_of(event, "run_id")];
      const std::string type = text_of(event, "type");
      const auto& data = event.at("data").as_object();
      if (type == "run.queued") {
        life.key = text_of(data.at("labels").as_object(), "key");
        life.is_first = !data.contains("retry_of");
      }
      if (type == "run.deleted") life.deleted = true;
      if (!is_end(type)) continue;
      life.ends.push_back(type);
      life.end = data;
    }
    after = text_of(page.body, "next");
  }
}

}  // namespace drover::tests
