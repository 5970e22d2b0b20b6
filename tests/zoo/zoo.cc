#include "tests/zoo/zoo.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <filesystem>

#include "process/cgroup_place.h"

namespace drover::zoo {
namespace {

using boost::json::object;
using tests::text_of;

int number_of(const object& in, const char* key) {
  const boost::json::value* value = in.if_contains(key);
  return value != nullptr && value->is_number() ? value->to_number<int>() : -1;
}

void expect_within(const object& in, const char* key, const Range& range) {
  EXPECT_GE(number_of(in, key), range.min) << key;
  EXPECT_LE(number_of(in, key), range.max) << key;
}

}  // namespace

Zoo::Zoo() : witness_(flock_.file("den")) {
  std::filesystem::create_directory(den());
}

bool Zoo::is_contained(pid_t process) {
  return process::cgroup_id_of("/proc/" + std::to_string(process)) != 0;
}

std::string Zoo::let_loose(const std::string& animal, const std::vector<std::string>& words,
                           const std::vector<std::string>& options) {
  std::vector<std::string> line{"run", "-d"};
  line.insert(line.end(), options.begin(), options.end());
  line.insert(line.end(), {"--", program_, animal, den()});
  for (const std::string& word : words)
    line.push_back(word == "LOCK" ? flock_.home().lock() : word);
  return flock_.ok(line);
}

object Zoo::expect_ended(const std::string& id, const Ending& ending) {
  const object record = flock_.ended(id);
  SCOPED_TRACE(boost::json::serialize(record));
  EXPECT_EQ(text_of(record, "state"), ending.state);
  EXPECT_EQ(text_of(record, "reason"), ending.reason);
  EXPECT_EQ(number_of(record, "exit_code"), ending.exit_code);
  EXPECT_EQ(number_of(record, "signal"), ending.signal);
  if (ending.stdout_bytes >= 0) {
    EXPECT_EQ(record.at("stdout_bytes").to_number<long>(), ending.stdout_bytes);
    EXPECT_EQ(record.at("stderr_bytes").to_number<long>(), ending.stderr_bytes);
  }
  EXPECT_EQ(witness_.alive(), std::vector<std::string>{});
  if (ending.has_receipt && record.at("receipt").is_object()) {
    expect_receipt(record.at("receipt").get_object(), ending);
  } else {
    EXPECT_EQ(record.at("receipt").is_object(), ending.has_receipt);
  }
  return record;
}

// A receipt is correct: it counts the processes that existed, and names no others.
void Zoo::expect_receipt(const object& receipt, const Ending& ending) {
  expect_within(receipt, "orphans", ending.orphans);
  expect_within(receipt, "signalled", ending.signaled);
  EXPECT_EQ(receipt.at("term_at").is_string(), ending.termed);
  EXPECT_EQ(receipt.at("kill_at").is_string(), ending.killed);
  EXPECT_EQ(number_of(receipt, "survivors"), 0);
  EXPECT_TRUE(receipt.at("survived").get_array().empty());
  EXPECT_TRUE(receipt.at("drained").get_bool());
  const auto& named = receipt.at("killed").get_array();
  EXPECT_EQ(named.size(),
            std::min<size_t>(8, static_cast<size_t>(number_of(receipt, "signalled"))));
  const auto seen = witness_.seen();
  for (const auto& name : named) {
    EXPECT_TRUE(seen.contains(std::atoi(name.get_string().c_str())))
        << name << " is not a process of the animal";
  }
}

}  // namespace drover::zoo
