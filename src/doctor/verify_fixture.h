// VerifiedHome is the fixture of the verifier's tests: a small healthy home with one run in each
// kind of state, an hour old, with directories and events as a daemon leaves them. A test plants
// one fault and names the promise that it must break.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/home.h"
#include "doctor/verify.h"
#include "process/command.h"
#include "store/sqlite/sqlite_store.h"
#include "testing/clock.h"
#include "testing/directory.h"
#include "testing/kinds.h"

namespace drover::doctor {

class VerifiedHome : public ::testing::Test {
 public:
  // Options of a room under test; default: the room for tests (testing/kinds.h).
  explicit VerifiedHome(store::sqlite::Options options = testing::with_tours(),
                        std::span<const SqlCheckSet> checks = {});

  RunId submit(const std::string& key = "");
  void end(const RunId& id);
  // Creates and removes a run's file as the daemon does.
  void make_file(const RunId& id);
  void forget_environment(const RunId& id);
  void remove_file(const RunId& id);

  // Raw SQL, to plant faults that Drover itself never makes.
  void plant(const std::string& sql);

  Report report() const;
  // Whether exactly this promise is broken, once, and the problem names `named`.
  ::testing::AssertionResult breaks(const std::string& promise, const std::string& named) const;

  testing::TestDirectory directory{testing::DirectoryPlace::memory};
  // Old enough that the verifier does not take anything for work in progress.
  testing::ManualClock clock{SystemClock().wall_ms() - 3'600'000};
  IdMaker ids{clock};
  Home home{directory.file("config"), directory.file("state"), directory.file("run")};
  RunId running, ended, deleted, compacted, below;  // `below`: in a scope below another one.

 protected:
  run::Record draft();
  RunId submit(const run::Record& draft, const std::string& key);
  void record(store::Write write);

 private:
  const std::span<const SqlCheckSet> checks_;
  std::unique_ptr<store::SqliteStore> store_;
};

// The broken promises of a report.
std::vector<std::string> broken(const Report& report);

}  // namespace drover::doctor
