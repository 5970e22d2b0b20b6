// A new daemon finds a keeper of the previous release: a stand-in (old_keeper.cc) that knows the
// frozen bytes alone, in a run's place that is laid out from them.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "tests/harness.h"
#include "tests/old/frozen.h"

namespace drover::tests {
namespace {

constexpr std::size_t kJournal = 1024;

class AdoptedKeeper : public testing::Test {
 protected:
  // A run that its daemon has recorded as running. Then daemon and keeper die, and the stand-in
  // takes the keeper's place.
  void SetUp() override {
    id_ = flock_.ok({"run", "-d", "--stdin", "--", "/bin/sh", "-c", "read line; exit 3"});
    flock_.wait_for_state(id_, "running");
    const Fd cradle = open_pid(flock_.cradle());
    const pid_t keeper = flock_.keeper_of(id_);
    flock_.kill_daemon();
    ASSERT_EQ(::kill(keeper, SIGKILL), 0);
    wait_gone(cradle);  // It has killed what the keeper left.

    const std::string file = flock_.home().runs() + "/" + id_ + ".run";
    const std::string directory = flock_.home().runs() + "/" + id_;
    std::filesystem::create_directories(directory);
    ASSERT_TRUE(replace_file(file, std::string(kJournal, '\0') + frozen("command")));
    ASSERT_TRUE(replace_file(directory + "/index", frozen("index")));
    ASSERT_TRUE(replace_file(directory + "/output", frozen("output")));
    keeper_ = std::make_unique<Started>(
        std::vector<std::string>{DROVER_OLD_KEEPER, file, flock_.home().controls(), id_},
        std::map<std::string, std::string>{}, "");
    keeper_->wait_for("ready");
  }

  // Waits until the stand-in has written its last record and exited; returns all that it printed.
  std::string printed() {
    const Output output = keeper_->finish();
    EXPECT_EQ(output.code, 0) << output.err;
    return output.out;
  }

  void expect_end(const std::string& state) {
    const auto run = flock_.ended(id_);
    EXPECT_EQ(text_of(run, "state"), state);
    EXPECT_EQ(run.at("stdout_bytes").to_number<int>(), 6);
    EXPECT_EQ(run.at("stderr_bytes").to_number<int>(), 5);
    EXPECT_EQ(flock_.drover({"logs", id_}).out, "hello\noops\n");
    flock_.expect_verified();
  }

  Flock flock_;
  std::string id_;
  std::unique_ptr<Started> keeper_;
};

// R18, H10: a run with an old keeper is shown as running and can be canceled; the daemon's message
// is the frozen one, and the record says how the command was killed.
TEST_F(AdoptedKeeper, IsCanceled) {
  EXPECT_EQ(text_of(flock_.show(id_), "state"), "running");
  EXPECT_EQ(flock_.drover({"cancel", "--grace", "1234ms", id_}).code, 0);
  EXPECT_EQ(printed(), "ready\n" + dump(frozen("stop")) + "\n");
  expect_end("canceled");
  const auto run = flock_.show(id_);
  EXPECT_EQ(run.at("signal").to_number<int>(), SIGTERM);
  const auto& killed = run.at("receipt").at("killed").as_array();
  ASSERT_EQ(killed.size(), 2U);
  EXPECT_EQ(killed[1].as_string(), "29214 sleep");
}

// R18, H10: a signal, input and its end arrive in the frozen bytes; the command's own exit code is
// recorded.
TEST_F(AdoptedKeeper, EndsByItself) {
  EXPECT_EQ(text_of(flock_.show(id_), "state"), "running");
  flock_.ok({"signal", id_, "USR2"});
  flock_.ok({"send", id_, "ping"});
  flock_.ok({"send", id_, "--eof"});
  std::string expected = "ready\n";
  for (const char* name : {"signal", "input", "input-end"}) expected += dump(frozen(name)) + "\n";
  EXPECT_EQ(printed(), expected);
  expect_end("failed");
  EXPECT_EQ(flock_.show(id_).at("exit_code").to_number<int>(), 3);
}

}  // namespace
}  // namespace drover::tests
