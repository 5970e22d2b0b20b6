#include "tests/race/race.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace drover::race {
namespace {

namespace fs = std::filesystem;

int rounds() {
  const char* text = std::getenv("DROVER_RACE_ROUNDS");
  return text == nullptr ? 1'000 : std::atoi(text);
}

size_t entries(const std::string& directory) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(directory), {}));
}

bool is_finished(const std::string& type) {
  return type == "run.completed" || type == "run.failed" || type == "run.canceled" ||
         type == "run.timed_out" || type == "run.abandoned";
}

}  // namespace

int between(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution(low, high)(random);
}

void pause_us(int us) {
  const timespec time{.tv_sec = 0, .tv_nsec = us * 1'000L};
  if (us > 0) ::nanosleep(&time, nullptr);
}

std::string signaled_at(const HttpAnswer& record, const char* which) {
  const boost::json::value* receipt = record.body.if_contains("receipt");
  return receipt != nullptr && receipt->is_object() ? text_in(receipt->get_object(), which) : "";
}

Race::Race() : witness_(flock_.file("den")) {
  fs::create_directory(flock_.file("den"));
  daemon_ = flock_.daemon();
  // One of each first: descriptors that a daemon opens once and keeps are no leak.
  Client client = connect();
  const std::string id = submit(client, "brief", 30'000).text("run_id");
  client.send(request_of("GET", "/api/runs/" + id + "/events?follow=true&output=true"));
  client.take_stream();
  client.ask("POST", "/api/runs/" + id + "/cancel");
  client.close();
  // Other connections exist for a moment only.
  descriptors_before_ = descriptors();
  for (int asked = 0; asked < 50; ++asked) {
    connect().ask("GET", "/api/status");
    descriptors_before_ = std::min(descriptors_before_, descriptors());
  }
}

void Race::each_round(const std::function<void(int, std::mt19937&)>& race, int share) {
  std::atomic<int> next = 0;
  const int total = std::max(1, rounds() / share);
  std::vector<std::thread> workers;
  for (int worker = 0; worker < kWorkers; ++worker) {
    workers.emplace_back([&, worker] {
      std::mt19937 random(static_cast<unsigned>(worker));
      for (int round = 0; (round = next++) < total && !HasFailure();) race(round, random);
    });
  }
  for (std::thread& worker : workers) worker.join();
}

std::string Race::submission(std::string_view animal, int us, std::string_view more) const {
  std::string body = R"({"command":[")" DROVER_BIN R"(/zoo_animal",")";
  body.append(animal).append(R"(",")").append(flock_.file("den")).append(R"(",")");
  body.append(std::to_string(us)).append(R"(","7"],"cwd":"/")").append(more);
  return body.append("}");
}

HttpAnswer Race::submit(Client& client, std::string_view animal, int us, std::string_view more) {
  const HttpAnswer answer = client.ask("POST", "/api/runs", submission(animal, us, more));
  EXPECT_EQ(answer.status, 202) << boost::json::serialize(answer.body);
  remember(answer.text("run_id"));
  return answer;
}

void Race::remember(const std::string& id) {
  const std::lock_guard lock(mutex_);
  ids_.push_back(id);
}

HttpAnswer Race::wait(Client& client, const std::string& id) {
  return client.ask("GET", "/api/runs/" + id + "?wait=60s");
}

std::map<std::string, History> Race::histories() {
  std::map<std::string, History> all;
  Client client = connect();
  for (std::string after = "0";;) {
    const HttpAnswer page = client.ask("GET", "/api/events?limit=1000&after=" + after);
    EXPECT_EQ(page.status, 200);
    const boost::json::array& events = page.body.at("events").get_array();
    for (const auto& event : events) {
      const std::string id = text_in(event.get_object(), "run_id");
      // Other events are about lanes, for example.
      if (!id.empty()) all[id].push_back(event.get_object());
    }
    after = page.text("next");
    if (events.empty() || HasFailure()) return all;
  }
}

std::map<std::string, int> Race::executions() const {
  std::map<std::string, int> times;
  std::ifstream file(flock_.file("den/ran"));
  for (std::string id; file >> id;) ++times[id];
  return times;
}

size_t Race::descriptors() const {
  return entries("/proc/" + std::to_string(daemon_) + "/fd");
}

std::string Race::describe_descriptors() const {
  std::string all;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(daemon_) + "/fd")) {
    std::error_code gone;
    all += fs::read_symlink(entry.path(), gone).string() + "\n";
  }
  return all;
}

void Race::expect_ended_once(const std::string& id, const History& history,
                             const HttpAnswer& record) {
  SCOPED_TRACE(id + " " + boost::json::serialize(record.body));
  int ends = 0, cancels = 0, deletions = 0;
  long last = 0;
  std::string canceled_at;
  for (const boost::json::object& event : history) {
    const std::string type = text_in(event, "type");
    EXPECT_EQ(event.at("run_seq").to_number<long>(), ++last);
    EXPECT_TRUE(ends == 0 || type == "run.deleted") << type << " after the end";
    if (is_finished(type)) {
      ++ends;
      const boost::json::object& data = event.at("data").get_object();
      EXPECT_EQ(type, "run." + text_in(data, "state"));
      if (record.status == 200) EXPECT_EQ(text_in(data, "state"), record.text("state"));
      EXPECT_EQ(data.at("cancel_requested").get_bool(), cancels == 1);
      // R4: a run that finished before the cancel was requested was not canceled.
      const bool too_late = cancels == 1 && text_in(data, "finished_at") < canceled_at;
      EXPECT_FALSE(too_late && type == "run.canceled") << "canceled at " << canceled_at;
    }
    if (type == "run.cancel_requested") {
      ++cancels;
      canceled_at = text_in(event, "time");
    }
    deletions += type == "run.deleted" ? 1 : 0;
  }
  EXPECT_EQ(ends, 1);
  EXPECT_LE(cancels, 1);
  EXPECT_EQ(deletions, record.status == 404 ? 1 : 0);
  const std::string files = flock_.home().runs() + "/" + id;
  EXPECT_EQ(fs::exists(files + ".run"), record.status == 200);
  if (record.status == 404) EXPECT_FALSE(fs::exists(files));
}

void Race::expect_settled() {
  Client client = connect();
  auto all = histories();
  const auto times = executions();
  for (const std::string& id : ids_) {
    const HttpAnswer record = client.ask("GET", "/api/runs/" + id);
    expect_ended_once(id, all[id], record);
    const int executed = times.contains(id) ? times.at(id) : 0;
    EXPECT_LE(executed, 1) << id;
    if (record.status != 200) continue;
    if (record.text("started_at").empty()) EXPECT_EQ(executed, 0) << id << " never started";
    if (record.number("exit_code") == 7) EXPECT_EQ(executed, 1) << id;
    if (HasFailure()) break;  // One failure is enough to read.
  }
  client.close();
  if (!HasFailure())
    EXPECT_EQ(all.size(), ids_.size()) << "a run was not acknowledged to any client";
  EXPECT_EQ(witness_.alive(), std::vector<std::string>{});
  EXPECT_EQ(entries(flock_.home().controls()), 0U);
  flock_.expect_verified();
  // The daemon notices each closed connection with a delay: repeat until it has.
  for (int asked = 0; asked < 10'000 && descriptors() > descriptors_before_; ++asked) {
    connect().ask("GET", "/api/status");
  }
  EXPECT_LE(descriptors(), descriptors_before_) << describe_descriptors();
  EXPECT_EQ(flock_.daemon(), daemon_) << "the daemon was replaced";
}

}  // namespace drover::race
