// Messages of runs while no daemon answers: they are kept, and recorded once.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/spool.h"
#include "tests/inbox/inbox_fixture.h"

namespace drover::tests {
namespace {

class SpoolStory : public InboxStory {
 protected:
  // Runs `script` while no daemon runs. The run is active until the file "go" exists.
  std::string speak_alone(const std::string& script, const std::string& end = "") {
    const std::string run =
        flock_.run(until_file(flock_.file("alone")) + "{ " + script + "; } > " +
                   flock_.file("said") + " 2>&1; touch " + flock_.file("spoke") + "; " + end);
    flock_.wait_for_state(run, "running");
    flock_.kill_daemon();
    flock_.touch("alone");
    flock_.wait_for_file("spoke");
    return run;
  }
  std::string said() const {
    std::ifstream in(flock_.file("said"));
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

// S1, A15: while the daemon is away, a question and reports of a run are kept in private files, and
// recorded once when the next daemon starts.
TEST_F(SpoolStory, MessagesAreTakenUpOnce) {
  const std::string run = speak_alone(
      "drover ask 'Deploy?' --choice yes --timeout 2h; echo $?; drover report output 'Half done' "
      "--data '{\"n\":1}'; echo $?",
      until_file(flock_.file("go")));
  EXPECT_NE(said().find("no daemon is running"), std::string::npos) << said();
  EXPECT_NE(said().find("0\n"), std::string::npos) << said();
  ASSERT_EQ(spool().size(), 2U);
  for (const std::string& file : spool()) {
    struct stat found{};
    ASSERT_EQ(::stat(file.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0600U) << file;
  }
  flock_.daemon();
  EXPECT_EQ(text_of(question(), "run_id"), run);
  EXPECT_EQ(text_of(question(), "question"), "Deploy?");
  while (!spool().empty()) {
  }
  flock_.kill_daemon();
  flock_.daemon();
  const auto all = inbox({"--all", "--run", run});
  ASSERT_EQ(all.size(), 2U);
  flock_.touch("go");
  EXPECT_EQ(text_of(flock_.ended(run), "state"), "completed");
  flock_.expect_verified();
}

// The same if the run has finished before the next daemon starts.
TEST_F(SpoolStory, AFinishedRunIsHeard) {
  const std::string run = speak_alone("drover report run_complete 'All done'");
  flock_.wait_for_keeper(run);
  flock_.daemon();
  flock_.ended(run);
  while (inbox({"--all"}).empty()) {
  }
  EXPECT_EQ(text_of(inbox({"--all"})[0].as_object(), "summary"), "All done");
}

// A file that appears while the daemon runs is taken up, too; those that no program of ours wrote
// are removed or left alone, and harm nobody.
TEST_F(SpoolStory, FilesFromOutsideAreChecked) {
  const std::string run = flock_.run("exit 0");
  flock_.ended(run);
  const Home& home = flock_.home();
  const RunId id = *RunId::parse(run);
  const std::string body = R"({"operation":"inbox.report","at":"2026-11-18T00:00:00.000Z","body":)"
                           R"({"type":"output","summary":"by hand"}})";
  for (const std::string& bad :
       {std::string("{"), std::string("[]"), std::string(200'000, '['),
        std::string(R"({"operation":"runs.create","at":"2026-11-18T00:00:00Z","body":{}})"),
        std::string(R"({"operation":"inbox.ask","at":"yesterday","body":{"question":"q"}})"),
        std::string(R"({"operation":"inbox.ask","at":"2026-11-18T00:00:00Z","body":{}})")}) {
    ASSERT_TRUE(add_to_spool(home, {.run = id, .key = random_hex(8)}, bad));
  }
  ASSERT_TRUE(add_to_spool(home, {.run = RunId::earliest(1), .key = "deleted"}, body));
  std::filesystem::create_symlink("/etc/hostname", home.state + "/spool/" + run + ".link.json");
  std::filesystem::create_directory(home.state + "/spool/" + run + ".directory.json");
  ASSERT_TRUE(add_to_spool(home, {.run = id, .key = "good"}, body));
  while (inbox({"--all"}).empty()) {
  }
  EXPECT_EQ(inbox({"--all"}).size(), 1U);
  EXPECT_EQ(text_of(inbox({"--all"})[0].as_object(), "summary"), "by hand");
  flock_.expect_verified();
}

// Bounded: a loop must not fill the disk.
TEST_F(SpoolStory, TheSpoolIsBounded) {
  speak_alone(
      "i=0; while [ $i -lt 102 ]; do drover report output \"$i\" || echo refused $?; "
      "i=$((i+1)); done");
  EXPECT_EQ(spool().size(), kSpoolPerRunMax);
  EXPECT_NE(said().find("refused 2"), std::string::npos) << said();
  flock_.daemon();
  while (!spool().empty()) {
  }
  EXPECT_EQ(inbox({"--all", "-n", "1000"}).size(), kSpoolPerRunMax);
}

}  // namespace
}  // namespace drover::tests
