// A Race makes two things happen to one run at the same time, thousands of times, and compares
// every answer with the final record.
//
// DROVER_RACE_ROUNDS sets the number of rounds (default 1,000). The pauses here wait for nothing:
// a loop varies them, so that the two events meet at different times.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/harness.h"
#include "tests/race/client.h"
#include "tests/zoo/witness.h"

namespace drover::race {

// The events of a run, oldest first.
using History = std::vector<boost::json::object>;

class Race : public ::testing::Test {
 protected:
  static constexpr int kWorkers = 8;

  Race();

  // Divides the rounds among workers; each is a thread with its own random numbers.
  void each_round(const std::function<void(int round, std::mt19937& random)>& race, int share = 1);

  Client connect() const { return Client(flock_.home().socket()); }
  // A submission of an animal; `more` are further fields of the request: ,"lane":"x". Remembered.
  std::string submission(std::string_view animal, int us, std::string_view more = {}) const;
  HttpAnswer submit(Client& client, std::string_view animal, int us, std::string_view more = {});
  void remember(const std::string& id);
  static HttpAnswer wait(Client& client, const std::string& id);

  // Final checks: each run finished once and as its record says, each was executed at most once, no
  // process is left, and the daemon holds no more resources than before.
  void expect_settled();
  std::map<std::string, History> histories();
  // How often each run's command was executed.
  std::map<std::string, int> executions() const;

  tests::Flock flock_;
  zoo::AnimalWitness witness_;

 private:
  void expect_ended_once(const std::string& id, const History& history, const HttpAnswer& record);
  size_t descriptors() const;
  std::string describe_descriptors() const;

  pid_t daemon_ = 0;
  size_t descriptors_before_ = 0;
  std::mutex mutex_;
  std::vector<std::string> ids_;
};

int between(std::mt19937& random, int low, int high);
void pause_us(int us);
// The receipt's time of a signal; "" if it was never sent.
std::string signaled_at(const HttpAnswer& record, const char* which);

}  // namespace drover::race
