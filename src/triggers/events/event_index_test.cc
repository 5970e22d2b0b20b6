// The index names the triggers that an event concerns, and why a filter refuses it.
#include "triggers/events/event_index.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::triggers {
namespace {

StoredTrigger on(const std::string& name, const std::string& type, const std::string& more = "") {
  return {.name = name,
          .source_type = "event",
          .spec = R"({"name":")" + name + R"(","source":{"type":"event","on":")" + type + "\"}" +
                  more + R"(,"run":{"command":["x"],"cwd":"/"}})"};
}

// "a b: REFUSAL": the names, and the refusals of those that do not pass.
std::string wanted(const EventIndex& index, const std::string& type, const std::string& payload) {
  EventEnvelope event{
      .id = "evt_1", .type = type, .producer = "emit", .dedup_key = "", .chain = {}};
  event.payload = payload;
  std::string out;
  for (const WantedBy& one : index.wanted(event)) {
    out += (out.empty() ? "" : " ") + one.trigger + (one.refusal.empty() ? "" : "!");
  }
  return out;
}

// A trigger wants the types that its pattern matches; a filter that does not hold is a refusal.
TEST(EventIndex, NamesTriggersInOrder) {
  EventIndex index;
  index.set(on("b", "deploy.*"));
  index.set(on("a", "deploy.done", R"(,"filters":["payload.ok eq true"])"));
  index.set(on("c", "other.done"));
  EXPECT_TRUE(index.matches("deploy.begun"));
  EXPECT_FALSE(index.matches("deploy"));
  EXPECT_EQ(wanted(index, "deploy.done", R"({"ok":true})"), "a b");
  EXPECT_EQ(wanted(index, "deploy.done", R"({"ok":false})"), "a! b");
  EXPECT_EQ(wanted(index, "deploy.begun", "null"), "b");
  EXPECT_EQ(wanted(index, "run.failed", "null"), "");
}

// A trigger that changes is replaced; one of another source, or that was removed, wants nothing.
TEST(EventIndex, FollowsChanges) {
  EventIndex index;
  index.set(on("a", "x.y"));
  index.set(on("a", "x.z"));
  EXPECT_EQ(wanted(index, "x.y", "null") + wanted(index, "x.z", "null"), "a");
  StoredTrigger timed = on("a", "x.z");
  timed.source_type = "cron";
  index.set(timed);
  EXPECT_TRUE(index.empty());
  index.set(on("b", "x.y"));
  index.remove("b");
  EXPECT_TRUE(index.empty());
}

}  // namespace
}  // namespace drover::triggers
