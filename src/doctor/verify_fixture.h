// A VerifiedHome is a small healthy home for the verifier's tests: a run in every kind of place in
// its life, an hour old, with directories and events as a daemon leaves them. A test plants one
// break in it and says which promise it expects to be broken.
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
  // With what a room brings; nothing: the room for tests (testing/kinds.h).
  explicit VerifiedHome(store::sqlite::Options options = testing::with_tours(),
                        std::span<const QuestionSet> questions = {});

  RunId submit(const std::string& key = "");
  void end(const RunId& id);
  // What the daemon does with a run's directory.
  void make_file(const RunId& id);
  void forget_environment(const RunId& id);
  void remove_file(const RunId& id);

  // Raw SQL, as no Drover would do it.
  void plant(const std::string& sql);

  Report report() const;
  // Exactly this promise is broken, in one place, and the problem names `named`.
  ::testing::AssertionResult breaks(const std::string& promise, const std::string& named) const;

  testing::TestDirectory directory{testing::DirectoryPlace::memory};
  // Old enough that nothing is taken for something in the making.
  testing::ManualClock clock{SystemClock().wall_ms() - 3'600'000};
  IdMaker ids{clock};
  Home home{directory.file("config"), directory.file("state"), directory.file("run")};
  RunId running, ended, deleted, below;  // `below`: of a scope below another.

 protected:
  run::Record draft();
  RunId submit(const run::Record& draft, const std::string& key);
  void record(store::Write write);

 private:
  const std::span<const QuestionSet> questions_;
  std::unique_ptr<store::SqliteStore> store_;
};

// The promises that a report says are broken.
std::vector<std::string> broken(const Report& report);

}  // namespace drover::doctor
