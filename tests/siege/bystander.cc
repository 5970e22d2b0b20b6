#include "tests/siege/bystander.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <chrono>
#include <fstream>
#include <map>

namespace drover::siege {

using tests::DaemonAnswer;
using tests::text_of;

namespace {

std::string words_of(int number) {
  return "the words of run " + std::to_string(number) + "\n";
}

std::int64_t dropped(const boost::json::object& record) {
  const boost::json::value* receipt = record.if_contains("receipt");
  if (receipt == nullptr || !receipt->is_object()) return 0;
  return receipt->at("dropped_bytes").to_number<std::int64_t>();
}

}  // namespace

Bystander::Bystander(Target& target) : target_(target), scroll_(target.flock.file("scroll")) {
  token_ = target.flock.ok(
      {"token", "create", "--can", "read,run,cancel", "--scope", "bystander", "--ttl", "1d"});
  (void)target.ask({.method = "PUT", .target = "/api/lanes/bystander", .body = {{"limit", 4}}});
}

DaemonAnswer Bystander::submit_and_wait(int number, int code, long calm) {
  const std::string n = std::to_string(number);
  const tests::Request request{.method = "POST",
                               .target = "/api/runs?wait=20s",
                               .body = {{"command",
                                         {"/bin/sh", "-c",
                                          "echo the words of run " + n + "; echo " + n + " >> " +
                                              scroll_ + "; exit " + std::to_string(code)}},
                                        {"cwd", "/"},
                                        {"lane", "bystander"}},
                               .key = "bystander-" + n,
                               .token = token_};
  DaemonAnswer record;
  wait_until("an ordinary run has finished", [&] {
    const auto answer = target_.ask_once(request);
    const bool is_calm = calm != -1 && target_.outages.stamp() == calm;
    if (!answer) EXPECT_FALSE(is_calm) << "nobody answers, and nothing was broken on purpose";
    if (!answer) return false;
    record = *answer;
    if (record.status >= 400) {
      const boost::json::value* error = record.body.if_contains("error");
      EXPECT_TRUE(error != nullptr && !text_of(error->as_object(), "code").empty())
          << "an error without a code: " << record.text;
      EXPECT_FALSE(is_calm) << "a refusal, and nothing was broken on purpose: " << record.text;
      EXPECT_EQ(record.status, 503) << record.text;
      return false;
    }
    return !text_of(record.body, "finished_at").empty();
  });
  return record;
}

void Bystander::run_one() {
  const int number = next_++;
  const int code = number % 7;
  const long calm = target_.outages.stamp();
  const auto begin = std::chrono::steady_clock::now();
  const DaemonAnswer record = submit_and_wait(number, code, calm);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  const bool was_calm = calm != -1 && target_.outages.stamp() == calm;
  if (was_calm) during_->add(took.count());
  if (!was_calm && lacked_space(record)) {
    never_launched_.insert(number);
  } else {
    expect_true(record, number, code);
  }
}

void Bystander::expect_true(const DaemonAnswer& record, int number, int code) {
  SCOPED_TRACE("an ordinary run: " + record.text);
  const boost::json::value* exit_code = record.body.if_contains("exit_code");
  ASSERT_TRUE(exit_code != nullptr && exit_code->is_number());
  EXPECT_EQ(exit_code->to_number<int>(), code);
  EXPECT_EQ(text_of(record.body, "state"), code == 0 ? "completed" : "failed");
  const std::string id = text_of(record.body, "run_id");
  finished_.push_back({id, code});
  if (dropped(record.body) > 0) return;  // A full disk; the record says so.
  const DaemonAnswer output =
      target_.ask({.method = "GET", .target = "/api/runs/" + id + "/logs", .token = token_});
  EXPECT_EQ(output.text, words_of(number));
}

std::map<std::string, boost::json::object> Bystander::all_records() const {
  std::map<std::string, boost::json::object> all;
  std::string cursor;
  do {
    const DaemonAnswer page =
        target_.ask({.method = "GET", .target = "/api/runs?limit=1000" + cursor, .token = token_});
    EXPECT_EQ(page.status, 200) << page.text;
    if (page.status != 200) return all;
    for (const boost::json::value& record : page.body.at("runs").as_array()) {
      all[text_of(record.as_object(), "run_id")] = record.as_object();
    }
    cursor = text_of(page.body, "next_cursor");
    if (!cursor.empty()) cursor = "&cursor=" + cursor;
  } while (!cursor.empty());
  return all;
}

void Bystander::expect_nothing_lost() {
  const std::map<std::string, boost::json::object> all = all_records();
  for (const FinishedRun& kept : finished_) {
    const auto record = all.find(kept.id);
    ASSERT_NE(record, all.end()) << kept.id << " was acknowledged and is lost";
    EXPECT_EQ(record->second.at("exit_code"), kept.code) << kept.id;
  }
  std::map<int, int> times;
  std::ifstream scroll(scroll_);
  for (int number = 0; scroll >> number;) ++times[number];
  for (int number = 0; number < next_; ++number) {
    EXPECT_EQ(times[number], never_launched_.contains(number) ? 0 : 1) << number;
  }
}

}  // namespace drover::siege
