// Retention through the real programs (R9): it removes old runs, and none that somebody reads or
// waits for.
#include <gtest/gtest.h>
#include <sched.h>

#include "tests/harness.h"

namespace drover::tests {
namespace {

class RetentionStory : public ::testing::Test {
 protected:
  RetentionStory() {
    daemon_ = flock_.start({"serve", "--", "--retain-every", "10ms", "--retain-count", "1"});
    daemon_->wait_for_error("ready: ");
  }
  ~RetentionStory() override { flock_.drover({"stop", "--kill"}); }

  bool is_kept(const std::string& id) { return flock_.drover({"show", id}).code == 0; }
  // Returns after a round of retention that has removed a run which is newer than all others.
  void prune() {
    const std::string old = flock_.run("exit 0");
    flock_.drover({"wait", old});
    flock_.drover({"wait", flock_.run("exit 0")});
    while (is_kept(old)) ::sched_yield();
  }

  Flock flock_;
  std::unique_ptr<Started> daemon_;
};

// R9: a run whose output is being read is kept, however slow the reader is: one that reads it in
// pages, as `logs` does, and one that follows it.
TEST_F(RetentionStory, KeepsARunThatIsRead) {
  std::string printed;
  for (int i = 1; i <= 3'000'000; ++i) printed += std::to_string(i) + "\n";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"logs"}, {"logs", "-f"}, {"logs", "--raw"}}) {
    const std::string id = flock_.run("seq 1 3000000");
    flock_.drover({"wait", id});
    std::vector<std::string> read = words;
    read.push_back(id);
    auto reader = flock_.start(read);
    reader->wait_for("\n9\n");
    prune();
    EXPECT_TRUE(is_kept(id)) << words.back();
    const Output output = reader->finish();
    EXPECT_EQ(output.code, 0) << words.back() << output.err;
    EXPECT_TRUE(output.out == printed) << words.back() << output.out.size();
  }
}

// R9, R17: a finished run is kept while a run waits for it, and removed afterwards.
TEST_F(RetentionStory, KeepsARunThatAnotherWaitsFor) {
  const std::string done = flock_.run("exit 0");
  const std::string open = flock_.run(until_file(flock_.file("go")));
  const std::string waiting = flock_.run("exit 0", {"--after", done, "--after", open});
  flock_.drover({"wait", done});
  prune();
  EXPECT_TRUE(is_kept(done));
  EXPECT_TRUE(is_kept(waiting));
  flock_.touch("go");
  EXPECT_EQ(flock_.drover({"wait", waiting}).code, 0);
  prune();
  while (is_kept(done)) ::sched_yield();
}

// S1, R9: `wait A B` knows how B exited, although B was removed while it waited for A.
TEST_F(RetentionStory, WaitKnowsHowARemovedRunExited) {
  const std::string open = flock_.run(until_file(flock_.file("go")));
  const std::string failed = flock_.run("exit 7");
  auto waiting = flock_.start({"wait", open, failed});
  EXPECT_EQ(flock_.drover({"wait", failed}).code, 7);
  prune();
  while (is_kept(failed)) ::sched_yield();
  flock_.touch("go");
  const Output output = waiting->finish();
  EXPECT_EQ(output.code, 7) << output.err;
  EXPECT_NE(output.err.find("its record and output were removed"), std::string::npos) << output.err;
}

// R9, R17: a wait is answered with the end of the run, and `--final` with that of the last attempt,
// although retention removes what has finished meanwhile.
TEST_F(RetentionStory, AnswersThoseWhoWait) {
  const std::string go = flock_.file("go");
  const std::string first =
      flock_.run("[ $DROVER_ATTEMPT = 1 ] && exit 1; " + until_file(go) + "exit 5",
                 {"--retry", "1", "--backoff", "1ms"});
  auto final = flock_.start({"wait", "--final", first});
  const std::string single = flock_.run(until_file(go) + "exit 6");
  auto plain = flock_.start({"wait", single});
  prune();
  flock_.touch("go");
  prune();
  EXPECT_EQ(final->finish().code, 5);
  EXPECT_EQ(plain->finish().code, 6);
}

}  // namespace
}  // namespace drover::tests
