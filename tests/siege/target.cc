#include "tests/siege/target.h"
#include "testing/until.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace drover::siege {

using tests::DaemonAnswer;
using tests::Request;
using tests::text_of;

void pause_ms(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

void wait_until(const char* what, const std::function<bool()>& is_true) {
  const auto check = [&] {
    const bool is_reached = is_true();
    if (!is_reached) pause_ms(2);
    return is_reached;
  };
  ASSERT_TRUE(testing::becomes_true(check)) << "a minute, and not yet: " << what;
}

bool lacked_space(const DaemonAnswer& record) {
  return text_of(record.body, "reason") == "launch_failed" &&
         text_of(record.body, "launch_error") == "ENOSPC";
}

Target::Target() : census(flock.file("dens"), flock.environment["DROVER_HOME"]) {
  flock.environment["DROVER_LISTEN"] = "127.0.0.1:0";
  if (!census.cgroup().empty()) flock.environment["DROVER_CGROUP"] = census.cgroup();
  disk.holds(flock.home().state);
}

Target::~Target() {
  disk.repair();
}

std::optional<DaemonAnswer> Target::ask_once(const Request& request) const {
  return tests::ask_once(flock.home().socket(), request);
}

DaemonAnswer Target::ask(const Request& request) const {
  std::optional<DaemonAnswer> answer;
  wait_until(request.target.c_str(), [&] {
    answer = ask_once(request);
    return answer && answer->status != 503;
  });
  return answer.value_or(DaemonAnswer{});
}

DaemonAnswer Target::ended(const std::string& id) const {
  DaemonAnswer record;
  wait_until("the end of a run", [&] {
    record = ask({.method = "GET", .target = "/api/runs/" + id + "?wait=10s"});
    return record.status != 200 || !text_of(record.body, "finished_at").empty();
  });
  EXPECT_EQ(record.status, 200) << id << " was acknowledged and is lost: " << record.text;
  return record;
}

bool Target::is_ready(const std::string& id, const std::string& den) const {
  bool ready = false;
  wait_until("the animal is ready", [&] {
    ready = std::filesystem::exists(den + "/ready");
    if (ready) return true;
    const auto record = ask_once({.method = "GET", .target = "/api/runs/" + id});
    const bool has_finished = record && !text_of(record->body, "finished_at").empty() &&
                              !std::filesystem::exists(den + "/ready");
    if (has_finished) EXPECT_TRUE(lacked_space(*record)) << record->text;
    return has_finished;
  });
  return ready;
}

void Target::wait_for_rest(const std::string& scope) const {
  const std::string path =
      "/api/runs?active=true&limit=1" + (scope.empty() ? "" : "&scope=" + scope);
  wait_until("all runs have finished", [&] {
    const DaemonAnswer page = ask({.method = "GET", .target = path});
    return page.status == 200 && page.body.at("runs").as_array().empty();
  });
}

std::string Target::submit(boost::json::array command, const std::string& grace) const {
  static std::atomic<long> count = 0;
  const DaemonAnswer answer =
      ask({.method = "POST",
           .target = "/api/runs",
           .body = {{"command", std::move(command)}, {"cwd", "/"}, {"grace", grace}},
           .key = "attack-" + std::to_string(++count)});
  EXPECT_TRUE(answer.status == 202 || answer.status == 200) << answer.text;
  return text_of(answer.body, "run_id");
}

void Target::start_daemon() {
  disk.within([&] { daemon_ = flock.daemon(); });
}

pid_t Target::cradle() const {
  return tests::cradle_of(daemon());
}

std::uint16_t Target::port() const {
  const std::string url = text_of(ask({.method = "GET", .target = "/api/status"}).body, "url");
  return static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
}

void LoopDelays::add(const LoopDelays& other) {
  measured += other.measured;
  beyond_bound += other.beyond_bound;
  longest_ms = std::max(longest_ms, other.longest_ms);
}

LoopDelays Target::loop_delays() const {
  const auto metrics = ask_once({.method = "GET", .target = "/metrics"});
  const auto status = ask_once({.method = "GET", .target = "/api/status"});
  if (!metrics || !status || metrics->status != 200 || status->status != 200) return {};
  const auto number = [&](const std::string& name) {
    const size_t at = metrics->text.find('\n' + name + ' ');
    return at == std::string::npos ? 0L : std::atol(metrics->text.c_str() + at + 2 + name.size());
  };
  LoopDelays delays{.measured = number("drover_loop_delay_seconds_count"),
                    .beyond_bound = number("drover_loop_delays_beyond_bound_total"),
                    .longest_ms = 0};
  if (const auto* slow = status->body.if_contains("slow_loop"); slow != nullptr) {
    delays.longest_ms = slow->at("longest_ms").to_number<long>();
  }
  return delays;
}

}  // namespace drover::siege
