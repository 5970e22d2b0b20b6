#include "triggers/declared/declared_source.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <string>

#include "triggers/declared/keys.h"

namespace drover::triggers {

namespace json = boost::json;

namespace {

void check_details(const toml::table& table, std::string_view chosen, json::object& source,
                   ProblemList& problems) {
  for (const DetailKey& detail : kDetailKeys) {
    if (!table.contains(detail.key) || std::ranges::find(detail.with, chosen) != detail.with.end())
      continue;
    std::string with(detail.with[0]);
    if (!detail.with[1].empty()) with += " or " + std::string(detail.with[1]);
    problems.add(place_of_key(table, detail.key), std::string(detail.key) + " requires " + with);
    source.erase(detail.key);
  }
}

}  // namespace

bool choose_source(const DeclaringFile& file, const toml::table& table, json::object& source,
                   ProblemList& problems) {
  bool is_guessed = false;
  std::string_view chosen;
  for (const SourceKey& one : kSourceKeys) {
    if (!table.contains(one.key)) continue;
    if (one.key == "on" && chosen == "files") continue;  // Which changes.
    if (!chosen.empty()) {
      problems.add(place_of_key(table, one.key), std::string(chosen) + " and " +
                                                     std::string(one.key) +
                                                     " cannot be combined; write two triggers");
      is_guessed = true;
      continue;
    }
    chosen = one.key;
    source["type"] = one.type;
  }
  if (chosen.empty()) {
    problems.add(table.source().begin,
                 "say when it fires: cron, every, at, files, webhook, feed, page or on");
    is_guessed = true;
  }
  if (is_guessed) {
    source = {{"type", "every"}, {"every", "1h"}};
    return false;
  }
  if (chosen == "on" && source["on"].is_array()) {
    problems.add(place_of_key(table, "on"), "on must be one type of events, in quotes");
    source["on"] = "a.b";
  }
  if (chosen == "files") {
    if (json::value* kinds = source.if_contains("on"); kinds != nullptr && kinds->is_string()) {
      source["on"] = json::array{json::value(*kinds)};
    }
    if (!file.root.empty() && !source.contains("root")) source["root"] = file.root;
  }
  check_details(table, chosen, source, problems);
  return true;
}

}  // namespace drover::triggers
