#include "triggers/events/envelope.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "triggers/events/filter.h"
#include "triggers/events/limits.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

class Envelopes : public ::testing::Test {
 protected:
  // The param of the error, or "" if the event is valid.
  std::string wrong() const {
    const auto ok = check_event(event);
    return ok ? "" : ok.error().param;
  }
  static std::string nested(size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  }
  static std::string text_of_size(size_t bytes) { return '"' + std::string(bytes - 2, 'x') + '"'; }

  EventEnvelope event{
      .id = "evt_1",
      .type = "custom.deploy",
      .producer = "hook/team/deploy",
      .time = 1'794'736'705'123,
      .dedup_key = "v1.4 \"é\"",
      .chain = {"nightly", "build"},
      .payload = R"({"ref": "main", "ratio": 1.50, "n": 123456789012345678901234})"};
};

// An event is read back as it was written; the payload byte for byte.
TEST_F(Envelopes, ReadBackWhatTheyWrite) {
  EXPECT_EQ(read_event(to_json_text(event)).value(), event);
  event.payload = " {\n} \n";
  EXPECT_EQ(read_event(to_json_text(event)).value(), event);
  event.dedup_key.clear();
  event.chain.clear();
  event.payload = "null";
  EXPECT_EQ(to_json_text(event),
            R"({"id":"evt_1","type":"custom.deploy","source":"hook/team/deploy",)"
            R"("time":"2026-11-15T09:58:25.123Z","payload":null})");
  EXPECT_EQ(read_event(to_json_text(event)).value(), event);
}

// The order of the fields, blanks, and fields of a later release do not matter when reading.
TEST_F(Envelopes, AreReadInAnyOrder) {
  const auto read = read_event(
      R"( {"payload" : [1.50, {"payload":2}] , "later":{"id":7}, "time":"2026-11-15T10:58:25+01:00",
           "source":"emit","type":"a.b","id":"evt_2"} )");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->payload, R"( [1.50, {"payload":2}] )");
  EXPECT_EQ(read->time, 1'794'736'705'000);
  EXPECT_EQ(read->id, "evt_2");
  EXPECT_EQ(
      read_event(R"({"id":"1","type":"a","source":"s","time":"2026-11-15T00:00:00Z"})")->payload,
      "null");
}

// The error of a wrong field names it.
TEST_F(Envelopes, NameTheWrongField) {
  EXPECT_EQ(wrong(), "");
  const EventEnvelope good = event;
  const auto check = [&](auto EventEnvelope::* field, auto value) {
    event = good;
    event.*field = value;
    return wrong();
  };
  for (const char* id : {"", "a b", "é", "a\n"}) EXPECT_EQ(check(&EventEnvelope::id, id), "id");
  EXPECT_EQ(check(&EventEnvelope::id, std::string(kEventIdBytesMax + 1, 'x')), "id");
  EXPECT_EQ(check(&EventEnvelope::type, "Custom"), "type");
  for (const char* source : {"", "a\nb", "\xff"}) {
    EXPECT_EQ(check(&EventEnvelope::producer, source), "source");
  }
  EXPECT_EQ(check(&EventEnvelope::dedup_key, std::string(kDedupKeyBytesMax, 'x')), "");
  EXPECT_EQ(check(&EventEnvelope::dedup_key, std::string(kDedupKeyBytesMax + 1, 'x')), "dedup_key");
  EXPECT_EQ(check(&EventEnvelope::chain, TriggerChain(kChainMax + 1, "a")), "chain");
  EXPECT_EQ(check(&EventEnvelope::chain, TriggerChain{""}), "chain");
  for (const char* payload : {"", "{", "x", "{} {}", "1e999"}) {
    EXPECT_EQ(check(&EventEnvelope::payload, payload), "payload") << payload;
  }
}

// The size and the nesting of a payload are limited; 10,000 levels are refused without recursion.
TEST_F(Envelopes, LimitThePayload) {
  EXPECT_TRUE(check_payload(text_of_size(kPayloadBytesMax), "data"));
  EXPECT_EQ(check_payload(text_of_size(kPayloadBytesMax + 1), "data").error().code,
            ErrorCode::exhausted);
  EXPECT_TRUE(check_payload(nested(kPayloadLevelsMax), "data"));
  EXPECT_EQ(check_payload(nested(kPayloadLevelsMax + 1), "data").error().reason, "too_deep");
  EXPECT_EQ(check_payload(nested(10'000), "data").error().reason, "too_deep");
  for (const std::string& payload : {text_of_size(kPayloadBytesMax), nested(kPayloadLevelsMax)}) {
    event.payload = payload;
    EXPECT_EQ(read_event(to_json_text(event)).value(), event);
    EXPECT_TRUE(parse_posted_event(R"({"type":"a","payload":)" + payload + "}"));
    EXPECT_TRUE(to_value(event));
  }
  for (const std::string& payload :
       {text_of_size(kPayloadBytesMax + 1), nested(kPayloadLevelsMax + 1), nested(10'000)}) {
    event.payload = payload;
    EXPECT_FALSE(to_value(event));
    EXPECT_FALSE(read_event(to_json_text(event)));
    EXPECT_FALSE(parse_posted_event(R"({"type":"a","payload":)" + payload + "}"));
  }
}

// A program posts a type, and may post a payload and a key; nothing else.
TEST_F(Envelopes, ReadPostedEvents) {
  const auto posted =
      parse_posted_event(R"({"type":"custom.deploy","dedup_key":"k","payload": {"a":1.0} })");
  ASSERT_TRUE(posted) << posted.error().message;
  EXPECT_EQ(posted->type, "custom.deploy");
  EXPECT_EQ(posted->dedup_key, "k");
  EXPECT_EQ(posted->payload, R"({"a":1.0})");
  EXPECT_EQ(parse_posted_event(R"({"type":"a"})")->payload, "null");
  const auto wrong_in = [](std::string_view body) {
    const auto refused = parse_posted_event(body);
    return refused ? std::string("accepted") : refused.error().param;
  };
  EXPECT_EQ(wrong_in("[]"), "event");
  EXPECT_EQ(wrong_in("{"), "event");
  EXPECT_EQ(wrong_in("{}"), "type");
  EXPECT_EQ(wrong_in(R"({"type":1})"), "type");
  EXPECT_EQ(wrong_in(R"({"type":"run.completed"})"), "type");
  EXPECT_EQ(wrong_in(R"({"type":"a","dedup_key":""})"), "dedup_key");
  EXPECT_EQ(wrong_in(R"({"type":"a","dedup_key":5})"), "dedup_key");
  EXPECT_EQ(wrong_in(R"({"type":"a","chain":[]})"), "chain");
  EXPECT_EQ(wrong_in(R"({"type":"a","pay\u006coad":1})"), "payload");
}

// Filters see every field of an event.
TEST_F(Envelopes, HaveAFormForFilters) {
  const json::value value = to_value(event).value();
  for (const char* rule :
       {"id eq evt_1", "type eq custom.deploy", "source eq hook/team/deploy",
        "time eq 2026-11-15T09:58:25.123Z", "chain contains nightly", "payload.ref eq main",
        "payload.ratio eq 1.5", R"(dedup_key eq "v1.4 \"é\"")"}) {
    const auto parsed = parse_rule_text(rule).value();
    EXPECT_TRUE(evaluate({&parsed, 1}, value).passes()) << rule;
  }
}

}  // namespace
}  // namespace drover::triggers
