// Questions of real scripts to people, through restarts of the daemon.
#include <gtest/gtest.h>

#include "tests/inbox/inbox_fixture.h"

namespace drover::tests {
namespace {

// A15: a script in a plain run asks and waits; the daemon is killed and another one started; the
// answer reaches the script, which continues.
TEST_F(InboxStory, AScriptWaitsThroughARestart) {
  const std::string run = flock_.run(
      "answer=$(drover ask --wait 'Deploy?' --choice yes --choice no --context 'tests are green') "
      "|| exit 9; echo \"the answer is $answer\"");
  const auto asked = question();
  EXPECT_EQ(text_of(asked, "question"), "Deploy?");
  EXPECT_EQ(text_of(asked, "run_id"), run);
  EXPECT_TRUE(asked.at("app").is_null());
  EXPECT_EQ(asked.size(), 7U) << boost::json::serialize(asked);
  flock_.kill_daemon();
  flock_.daemon();
  const std::string id = text_of(asked, "id");
  flock_.ok({"answer", id, "yes"});
  EXPECT_EQ(text_of(flock_.ended(run), "state"), "completed");
  EXPECT_EQ(flock_.ok({"logs", run, "--stream", "stdout"}), "the answer is yes");
  EXPECT_TRUE(inbox().empty());
  EXPECT_EQ(text_of(entry(id), "state"), "answered");
  flock_.expect_verified();
}

// A15: a script keeps waiting while the daemon is stopped, and gets the answer of the next one.
TEST_F(InboxStory, AScriptWaitsWhileTheDaemonIsStopped) {
  const std::string run = flock_.run("drover ask --wait 'Which?' > " + flock_.file("out"));
  const std::string id = text_of(question(), "id");
  flock_.ok({"stop"});
  flock_.ok({"answer", id, "--text", "the second one"});
  EXPECT_EQ(flock_.ended(run).at("exit_code").as_int64(), 0);
  std::ifstream in(flock_.file("out"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "the second one\n");
}

// The exit codes of `ask --wait`: 124 if the question has expired, 130 if it was dismissed.
TEST_F(InboxStory, AnExitCodeSaysThatThereIsNoAnswer) {
  const std::string expired = flock_.run("drover ask --wait 'Now?' --timeout 300ms");
  EXPECT_EQ(flock_.ended(expired).at("exit_code").as_int64(), 124);
  const std::string dismissed = flock_.run("drover ask --wait 'Later?'");
  flock_.ok({"inbox", "dismiss", text_of(question(), "id")});
  EXPECT_EQ(flock_.ended(dismissed).at("exit_code").as_int64(), 130);
  const auto all = inbox({"--all"});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(text_of(all[0].as_object(), "state"), "dismissed");
  EXPECT_EQ(text_of(all[1].as_object(), "state"), "expired");
}

// A15: the first answer counts. The same again changes nothing; another one fails with 6, as after
// a dismissal or an expiry; an unknown id with 5, a wrong choice with 2.
TEST_F(InboxStory, TheFirstAnswerCounts) {
  flock_.ended(
      flock_.run("drover ask 'Color?' --choice red --choice blue; drover ask 'Why?'; "
                 "drover ask 'Soon?' --timeout 1ms"));
  const auto open = inbox({"--all"});
  ASSERT_EQ(open.size(), 3U);
  const std::string soon = text_of(open[0].as_object(), "id");
  const std::string why = text_of(open[1].as_object(), "id");
  const std::string color = text_of(open[2].as_object(), "id");
  EXPECT_EQ(flock_.drover({"answer", color, "green"}).code, 2);
  flock_.ok({"answer", color, "red"});
  flock_.ok({"answer", color, "red"});
  const Output second = flock_.drover({"answer", color, "blue"});
  EXPECT_EQ(second.code, 6);
  EXPECT_NE(second.err.find("red"), std::string::npos) << second.err;
  flock_.ok({"answer", why, "--text", "because"});
  EXPECT_EQ(flock_.drover({"inbox", "dismiss", why}).code, 6);
  const Output late = flock_.drover({"answer", soon, "yes"});
  EXPECT_EQ(late.code, 6);
  EXPECT_NE(late.err.find("expired"), std::string::npos) << late.err;
  EXPECT_EQ(flock_.drover({"answer", "question_nothing", "yes"}).code, 5);
}

// A question that a process waits for is withdrawn when its run finishes; another one stays open.
TEST_F(InboxStory, AFinishedRunNeedsNoAnswer) {
  const std::string waiting = flock_.run("drover ask --wait 'Waiting?'");
  const std::string id = text_of(question(), "id");
  flock_.ok({"cancel", waiting});
  flock_.ended(waiting);
  wait_for_entry_state(id, "withdrawn");
  EXPECT_EQ(flock_.drover({"answer", id, "yes"}).code, 6);
  flock_.ended(flock_.run("drover ask 'Not waiting?'"));
  const std::string open = text_of(question(), "id");
  flock_.ok({"answer", open, "yes"});
  EXPECT_EQ(text_of(entry(open), "state"), "answered");
}

// The same if the run finishes while no daemon runs.
TEST_F(InboxStory, ARunThatFinishesUnseenNeedsNoAnswer) {
  const std::string run = flock_.run("drover ask --wait 'Waiting?' & asker=$!; " +
                                     until_file(flock_.file("end")) + "kill $asker");
  const std::string id = text_of(question(), "id");
  flock_.kill_daemon();
  flock_.touch("end");
  flock_.wait_for_keeper(run);
  flock_.daemon();
  wait_for_entry_state(id, "withdrawn");
}

// S5: only a command that Drover has started asks, and only for its own run; a run does not answer.
TEST_F(InboxStory, ARunSpeaksForItself) {
  const Output outside = flock_.drover({"ask", "Anyone?"});
  EXPECT_EQ(outside.code, 2);
  EXPECT_NE(outside.err.find("drover run"), std::string::npos) << outside.err;
  EXPECT_EQ(flock_.drover({"report", "output", "done"}).code, 2);
  const std::string other = flock_.run("sleep 1000");
  const std::string run = flock_.run(
      "id=$(drover ask 'Mine?') || exit 1; DROVER_RUN_ID=" + other +
      " drover ask 'Yours?'; echo $?; drover answer $id yes; echo $?; drover inbox dismiss $id; "
      "echo $?; drover inbox show $id > /dev/null; echo $?; drover inbox --json | grep -c Mine");
  EXPECT_EQ(text_of(flock_.ended(run), "state"), "completed");
  EXPECT_EQ(flock_.ok({"logs", run, "--stream", "stdout"}), "5\n2\n2\n0\n1");
  EXPECT_EQ(text_of(question(), "question"), "Mine?");
}

// R15: secrets of the run's environment are not shown in questions and reports.
TEST_F(InboxStory, SecretsAreNotShown) {
  flock_.ended(
      flock_.run("drover ask \"Is $KEY right?\" --context \"key: $KEY\"; "
                 "drover report output \"$KEY\" --data \"{\\\"a\\\":[\\\"$KEY\\\"]}\"",
                 {"-e", "KEY=inb0x-s3cret"}));
  EXPECT_EQ(inbox({"--all"}).size(), 2U);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"inbox", "--all"},
        {"inbox", "--all", "--json"},
        {"inbox", "show", text_of(question(), "id"), "--json"},
        {"events", "--json"}}) {
    EXPECT_EQ(flock_.ok(words).find("inb0x-s3cret"), std::string::npos) << words[0] << words[1];
  }
}

}  // namespace
}  // namespace drover::tests
