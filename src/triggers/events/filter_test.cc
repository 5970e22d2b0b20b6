#include "triggers/events/filter.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "triggers/events/limits.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

class Filters : public ::testing::Test {
 protected:
  bool holds(std::string_view rule) const {
    const auto parsed = parse_rule_text(rule);
    EXPECT_TRUE(parsed) << rule << ": " << parsed.error().message;
    return parsed && evaluate({&*parsed, 1}, event).passes();
  }
  static std::string reason(std::string_view rule) {
    const auto parsed = parse_rule_text(rule);
    EXPECT_EQ(parsed ? "filter" : parsed.error().param, "filter");
    return parsed ? "" : parsed.error().reason;
  }
  void expect_all(std::initializer_list<const char*> rules, bool expected) const {
    for (const char* rule : rules) EXPECT_EQ(holds(rule), expected) << rule;
  }

  json::value event = json::parse(
      R"({"type":"custom.deploy","time":"2026-11-15T09:58:25.123Z","payload":{"size":1000,)"
      R"("ratio":0.5,"big":9007199254740993,"ref":"refs/heads/main","none":null,"ok":true,)"
      R"("tags":["a",5,{"x":1}],"by":{"name":"ann","a.b":1},"empty":""}})");
};

// Every operator, holding.
TEST_F(Filters, Hold) {
  expect_all({"type eq custom.deploy",
              "type eq \"custom.deploy\"",
              "payload.size eq 1000",
              "payload.size eq 1000.0",
              "payload.none eq null",
              "payload.ok eq true",
              R"(payload.by eq {"a.b":1,"name":"ann"})",
              R"(payload.by.a\.b eq 1)",
              "payload.empty eq \"\"",
              "payload.ref neq main",
              "payload.size neq \"1000\"",
              "payload.ref contains heads/",
              "payload.tags contains a",
              "payload.tags contains 5",
              R"(payload.tags contains {"x":1})",
              "payload.by contains name",
              "payload.ref matches ^refs/heads/(main|next)$",
              "payload.ref matches (?i)HEADS/",
              "payload.ref matches \"he.ds\"",
              "payload.size gt 999.5",
              "payload.size gte 1000",
              "payload.size lt 1e4",
              "payload.size lte 1000",
              "payload.big gt 9007199254740992.0",
              "time gt 2026-11-15T09:00:00.000Z",
              "time lt 2026-11-15T10:00:00.000Z",
              R"(payload.ref in ["main","refs/heads/main"])",
              "payload.size in [1,1000]",
              "payload.size nin [1,\"1000\"]",
              "payload.size nin []"},
             true);
}

// Every operator, not holding; values of another kind never hold.
TEST_F(Filters, DoNotHold) {
  expect_all({"type eq custom",
              "payload.size eq \"1000\"",
              "payload.none eq 0",
              "payload.ok eq 1",
              "payload.size neq 1000",
              "payload.none neq null",
              "payload.ref contains x",
              "payload.size contains 1",
              "payload.ref contains 5",
              "payload.tags contains \"5\"",
              "payload.none contains null",
              "payload.by contains ann",
              "payload.ref matches ^heads",
              "payload.size matches 1000",
              "payload.none matches .*",
              "payload.size gt 1000",
              "payload.size gt \"0\"",
              "payload.ref gt 0",
              "payload.ok gt 0",
              "payload.none lte 0",
              "payload.none gte 0",
              "payload.tags gt 0",
              "payload.big lte 9007199254740992.0",
              "payload.size lt 1000",
              "payload.size in []",
              R"(payload.size in ["1000"])",
              "payload.tags in [\"a\"]",
              "payload.size nin [1000.0]"},
             false);
}

// Of a missing field only neq and nin hold.
TEST_F(Filters, KnowMissingFields) {
  expect_all({"payload.x neq 1", "payload.x neq null", "payload.x nin [1]", "payload.tags.9 neq a"},
             true);
  expect_all({"payload.x eq null", "payload.x eq \"\"", "payload.x in [null]", "payload.x gt 0",
              "payload.x lt 0", "payload.x gte 0", "payload.x lte 0", "payload.x contains a",
              "payload.x matches .*"},
             false);
}

// All rules must hold, and the verdict names the first that does not, without the payload's text.
TEST_F(Filters, NameTheFirstRuleThatFails) {
  const auto rules = parse_rules(json::parse(R"([
      {"field":"payload.size","op":"gt","value":1},
      {"field":"payload.ref","op":"eq","value":"next"},
      {"field":"payload.x","op":"eq","value":1}])"))
                         .value();
  const FilterVerdict verdict = evaluate(rules, event);
  EXPECT_EQ(verdict.failed, 1U);
  EXPECT_EQ(verdict.reason, R"(filter payload.ref eq "next": it does not hold)");
  EXPECT_EQ(evaluate(std::span(rules).subspan(2), event).reason,
            "filter payload.x eq 1: the field is missing");
  EXPECT_TRUE(evaluate(std::span(rules).first(1), event).passes());
  EXPECT_TRUE(evaluate({}, event).passes());
}

// The value is the rest of the text, as JSON if it is JSON.
TEST_F(Filters, ReadThreeWords) {
  const auto value = [](std::string_view text) {
    return json::serialize(parse_rule_text(text).value().value());
  };
  EXPECT_EQ(value("a eq 5"), "5");
  EXPECT_EQ(value("  a \t eq   two words "), R"("two words ")");
  EXPECT_EQ(value("a eq 1.2.3"), R"("1.2.3")");
  EXPECT_EQ(value("a eq [1"), R"("[1")");
  EXPECT_EQ(value("a matches 5"), R"("5")");
  EXPECT_EQ(value("a matches [ab]"), R"("[ab]")");
  EXPECT_EQ(value(R"(a matches "\\d")"), R"("\\d")");
  EXPECT_EQ(value(R"(a matches \d)"), R"("\\d")");
}

// A rule that cannot work is refused, with the reason.
TEST_F(Filters, RefuseNonsense) {
  for (const char* bad : {"", "a", "a eq", "a eq ", "payload.size<1000"}) {
    EXPECT_EQ(reason(bad), "invalid_filter") << bad;
  }
  for (const char* bad : {"a == 1", "a EQ 1", "a is 1"})
    EXPECT_EQ(reason(bad), "unknown_op") << bad;
  for (const char* bad : {"a in 1", "a nin x", "a in {}", "a gt null", "a lte [1]", "a lt true"}) {
    EXPECT_EQ(reason(bad), "invalid_value") << bad;
  }
  EXPECT_EQ(reason("a..b eq 1"), "invalid_path");
  EXPECT_EQ(reason("a eq \xff"), "invalid_value");
  EXPECT_EQ(reason("a eq 1e999"), "number_out_of_range");
  EXPECT_EQ(reason("a eq [[[[[[[[[1]]]]]]]]]"), "too_deep");
  EXPECT_EQ(reason("a eq " + std::string(kFilterValueBytesMax + 1, 'x')), "invalid_value");
}

// An expression that RE2 refuses, or that needs too much memory, is refused with RE2's message.
TEST_F(Filters, RefuseBadExpressions) {
  for (const char* bad :
       {"(", "a**", "[b-a]", "\\1", "(?=x)", "((a{0,100}){0,100}){0,100}", "\\pL{500}"}) {
    EXPECT_EQ(reason("a matches " + std::string(bad)), "invalid_expression") << bad;
  }
  EXPECT_TRUE(parse_rule_text("a matches (").error().message.contains("missing )"));
  EXPECT_EQ(reason("a matches " + std::string(kExpressionBytesMax + 1, 'x')), "invalid_expression");
}

// An expression that would work for seconds does not hold, and the verdict says so.
TEST_F(Filters, LimitTheWorkOfExpressions) {
  event.at("payload").at("ref") = std::string(kPayloadBytesMax, 'a');
  const auto slow = parse_rule_text("payload.ref matches (?:[a-z]{1,50}[0-9]?){1,18}z").value();
  EXPECT_EQ(slow.expression() == nullptr, false);
  EXPECT_TRUE(evaluate({&slow, 1}, event).reason.ends_with("too long for this expression"));
  const auto quick = parse_rule_text("payload.ref matches ^a+$").value();
  EXPECT_TRUE(evaluate({&quick, 1}, event).passes());
  // The limit is shared by all rules of the filter.
  const std::vector<FilterRule> many(kFilterRulesMax, quick);
  EXPECT_FALSE(evaluate(many, event).passes());
}

// The JSON form of a rule is read back; anything else than it is refused.
TEST_F(Filters, HaveAJsonForm) {
  for (const char* text : {"payload.size lt 1000", "a matches ^x", "a in [1,\"b\",null]",
                           R"(a\.b eq 0.30000000000000004)"}) {
    const auto rule = parse_rule_text(text).value();
    EXPECT_EQ(parse_rule(rule.as_json()).value().text(), rule.text());
  }
  for (const char* bad :
       {"1", "{}", R"({"field":"a","op":"eq"})", R"({"field":1,"op":"eq","value":1})",
        R"({"field":"a","op":"eq","value":1,"x":1})", R"({"field":"a","op":null,"value":1})"}) {
    EXPECT_EQ(parse_rule(json::parse(bad)).error().reason, "invalid_filter") << bad;
    EXPECT_EQ(parse_rules(json::array{json::parse(bad)}).error().reason, "invalid_filter") << bad;
  }
  EXPECT_FALSE(parse_rules(json::object{}));
  const json::value one = {{"field", "a"}, {"op", "eq"}, {"value", 1}};
  EXPECT_EQ(parse_rules(json::array(kFilterRulesMax, one)).value().size(), kFilterRulesMax);
  EXPECT_EQ(parse_rules(json::array(kFilterRulesMax + 1, one)).error().reason, "too_many_filters");
}

}  // namespace
}  // namespace drover::triggers
