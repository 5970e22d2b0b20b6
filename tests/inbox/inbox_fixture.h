// A Flock with an inbox: scripts ask and report, the test answers.
#pragma once

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>

#include "testing/until.h"
#include "tests/harness.h"

namespace drover::tests {

class InboxStory : public ::testing::Test {
 protected:
  boost::json::array inbox(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"inbox", "--json"});
    return boost::json::parse(flock_.ok(options)).as_array();
  }
  // The newest open question; waits for it.
  boost::json::object question() {
    boost::json::array all;
    if (testing::becomes_true([&] { return !(all = inbox()).empty(); })) return all[0].as_object();
    ADD_FAILURE() << "no question was asked";
    return {};
  }
  boost::json::object entry(const std::string& id) { return flock_.json({"inbox", "show", id}); }
  void wait_for_entry_state(const std::string& id, const std::string& state) {
    EXPECT_TRUE(testing::becomes_true([&] { return text_of(entry(id), "state") == state; }))
        << boost::json::serialize(entry(id));
  }
  std::vector<std::string> spool() const {
    std::vector<std::string> out;
    const std::string directory = flock_.home().state + "/spool";
    if (!std::filesystem::exists(directory)) return out;
    for (const auto& file : std::filesystem::directory_iterator(directory)) {
      out.push_back(file.path().string());
    }
    return out;
  }

  Flock flock_;
};

}  // namespace drover::tests
