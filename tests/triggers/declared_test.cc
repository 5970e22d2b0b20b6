// Triggers that files declare, with the real programs: the stored triggers follow their files,
// whatever happens to the daemon or to the files.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>

#include "testing/until.h"
#include "tests/triggers/trigger_fixture.h"

namespace drover::tests {
namespace {

namespace fs = std::filesystem;

class DeclaredStory : public TriggerStory {
 protected:
  // Written as editors do it: a new file is moved over the old one.
  std::string write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path + ".new") << text;
    ::chmod((path + ".new").c_str(), 0600);
    fs::rename(path + ".new", path);
    return path;
  }
  std::string own(const std::string& name) const {
    return flock_.home().config + "/triggers.d/" + name + ".toml";
  }
  static std::string every(const std::string& name, const std::string& more = "") {
    return "[[trigger]]\nname = '" + name + "'\nevery = '1h'\nshell = 'true'\n" + more;
  }
  // Waits until that holds.
  void until(const char* what, const std::function<bool()>& holds) {
    ASSERT_TRUE(testing::becomes_true(holds)) << what << "\n" << read(flock_.home().log());
  }
  std::string names() {
    std::string out;
    const auto list = flock_.json({"trigger", "ls"});
    for (const boost::json::value& one : list.at("triggers").as_array()) {
      out += (out.empty() ? "" : " ") + text_of(one.as_object(), "name");
    }
    return out;
  }
  void until_names(const std::string& expected) {
    until(expected.c_str(), [&] { return names() == expected; });
  }
  boost::json::array problems() { return flock_.json({"trigger", "ls"}).at("problems").as_array(); }
  boost::json::object trigger(const std::string& name) {
    return flock_.json({"trigger", "show", name});
  }
  static std::string run_of(const boost::json::object& trigger, const std::string& key) {
    return text_of(trigger.at("run").as_object(), key);
  }
};

// A5: files that exist when the daemon starts, and files that appear, change and disappear while it
// runs, are followed; an unchanged trigger keeps its ledger.
TEST_F(DeclaredStory, TriggersFollowTheirFiles) {
  write(own("a"), every("one") + every("two"));
  flock_.daemon();
  until_names("one two");
  EXPECT_EQ(text_of(trigger("one"), "declared_in"), own("a"));
  const std::string run = flock_.ok({"trigger", "fire", "one"});
  flock_.ended(run);
  write(own("b"), every("three"));
  until_names("one three two");
  write(own("a"), every("one") + every("two", "lane = 'slow'\n"));
  until("changed", [&] { return run_of(trigger("two"), "lane") == "slow"; });
  EXPECT_EQ(entries("one").size(), 1U);
  fs::remove(own("b"));
  until_names("one two");
  write(own("a"), every("one"));
  until_names("one");
  EXPECT_EQ(entries("one").size(), 1U);
  fs::remove_all(flock_.home().config + "/triggers.d");
  until_names("");
  EXPECT_EQ(text_of(flock_.show(run), "state"), "completed");
  flock_.expect_verified();
}

// A directory that is created later is seen, too.
TEST_F(DeclaredStory, TheDirectoryMayComeLater) {
  flock_.daemon();
  EXPECT_EQ(names(), "");
  write(own("a"), every("late"));
  until_names("late");
}

// A5: changes that are made while no daemon runs are found by the next one, before anything fires:
// a trigger that was removed meanwhile does not fire for a time that passed.
TEST_F(DeclaredStory, ChangesWhileTheDaemonIsAwayAreFound) {
  const std::string soon = "[[trigger]]\nname = 'soon'\nat = '" + in_ms(3'000) +
                           "'\nshell = 'touch " + flock_.file("fired") + "'\n";
  write(own("a"), soon + every("kept"));
  write(own("b"), every("gone"));
  flock_.daemon();
  until_names("gone kept soon");
  flock_.ok({"trigger", "fire", "kept"});
  flock_.kill_daemon();
  wait_until_ms(3'000);
  fs::remove(own("b"));
  write(own("a"), every("kept", "lane = 'slow'\n") + every("new"));
  flock_.daemon();
  until_names("kept new");
  EXPECT_EQ(run_of(trigger("kept"), "lane"), "slow");
  EXPECT_EQ(entries("kept").size(), 1U);
  EXPECT_FALSE(flock_.ok({"ps", "--all", "--scope", "trigger/soon", "--json"}).contains("run_"));
  EXPECT_FALSE(fs::exists(flock_.file("fired")));
}

// A broken file changes nothing of what it declared, and the problem is visible: in `ls`, in
// `doctor`, as an event, in the daemon's log. A correct file ends it.
TEST_F(DeclaredStory, ABrokenFileChangesNothing) {
  write(own("a"), every("one") + every("two"));
  flock_.daemon();
  until_names("one two");
  write(own("a"), "[[trigger]]\nname = 'one'\ncorn = '0 3 * * *'\nshell = 'true'\n");
  until("a problem", [&] { return !problems().empty(); });
  EXPECT_EQ(names(), "one two");
  const std::string says = own("a") + ":3:1: unknown key corn; did you mean cron?";
  EXPECT_TRUE(flock_.drover({"trigger", "ls"}).err.contains(says));
  const Output doctor = flock_.drover({"doctor", "--json"});
  EXPECT_EQ(doctor.code, 1);
  EXPECT_TRUE(doctor.out.contains(says)) << doctor.out;
  EXPECT_TRUE(flock_.ok({"events", "--json"}).contains("trigger.file_refused"));
  EXPECT_TRUE(read(flock_.home().log()).contains(says));
  flock_.kill_daemon();
  flock_.daemon();
  until("a problem again", [&] { return !problems().empty(); });
  EXPECT_EQ(names(), "one two");
  write(own("a"), every("one"));
  until_names("one");
  until("no problem", [&] { return problems().empty(); });
  EXPECT_TRUE(flock_.ok({"events", "--json"}).contains("trigger.file_accepted"));
}

// A declared trigger is changed in its file: `edit` and `rm` name it. `pause`, `resume` and `fire`
// work, and a pause survives a change of the file and a restart.
TEST_F(DeclaredStory, APauseSurvivesAndEditsAreRefused) {
  write(own("a"), every("one"));
  flock_.daemon();
  until_names("one");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"trigger", "rm", "one"},
                                                {"trigger", "edit", "one", "--every", "2h"}}) {
    const Output refused = flock_.drover(words);
    EXPECT_EQ(refused.code, 6);
    EXPECT_TRUE(refused.err.contains(own("a"))) << refused.err;
  }
  flock_.ok({"trigger", "pause", "one"});
  write(own("a"), every("one", "lane = 'slow'\n"));
  until("changed", [&] { return run_of(trigger("one"), "lane") == "slow"; });
  EXPECT_EQ(text_of(trigger("one"), "state"), "paused");
  flock_.kill_daemon();
  flock_.daemon();
  EXPECT_EQ(text_of(trigger("one"), "state"), "paused");
  flock_.ok({"trigger", "fire", "one"});
  flock_.ok({"trigger", "resume", "one"});
  EXPECT_EQ(text_of(trigger("one"), "state"), "active");
}

// A name that a trigger of a command has is a problem, and nothing is overwritten; removing that
// trigger solves it.
TEST_F(DeclaredStory, ATriggerAddedByHandIsNotOverwritten) {
  add("one", {"--every", "3h"}, "true");
  write(own("a"), every("one") + every("two"));
  until_names("one two");
  until("a problem", [&] { return !problems().empty(); });
  EXPECT_TRUE(flock_.drover({"trigger", "ls"}).err.contains("was added by hand"));
  EXPECT_EQ(text_of(trigger("one"), "when"), "every 3h");
  flock_.ok({"trigger", "rm", "one"});
  until("declared",
        [&] { return names() == "one two" && text_of(trigger("one"), "declared_in") == own("a"); });
}

// The runs of a trigger that is removed from its file keep running.
TEST_F(DeclaredStory, RunsOutliveTheDeclaration) {
  write(own("a"), "[[trigger]]\nname = 'one'\nevery = '1h'\nshell = '" +
                      until_file(flock_.file("go")) + "'\n");
  flock_.daemon();
  until_names("one");
  const std::string run = flock_.ok({"trigger", "fire", "one"});
  flock_.wait_for_state(run, "running");
  fs::remove(own("a"));
  until_names("");
  EXPECT_EQ(text_of(flock_.show(run), "state"), "running");
  flock_.touch("go");
  EXPECT_EQ(text_of(flock_.ended(run), "state"), "completed");
}

// P2: the triggers of a registered project belong to it: they run in its root, with its env file,
// and disappear when the project is removed.
TEST_F(DeclaredStory, AProjectHasTriggers) {
  const std::string root = flock_.file("game");
  write(root + "/.env", "KEY=pr0ject-s3cret\n");
  write(root + "/drover.toml",
        "[project]\nid = 'game'\n\n[[trigger]]\nname = 'assets'\nfiles = ['art/*.png']\n"
        "shell = 'test \"$KEY\" = pr0ject-s3cret && pwd > where'\nenv_file = '.env'\n");
  flock_.daemon();
  EXPECT_EQ(names(), "");
  flock_.ok({"project", "add", root});
  until_names("assets");
  EXPECT_EQ(text_of(trigger("assets"), "when"), "files in " + root + " art/*.png");
  EXPECT_FALSE(flock_.ok({"trigger", "show", "assets", "--json"}).contains("pr0ject-s3cret"));
  const std::string run = flock_.ok({"trigger", "fire", "assets"});
  EXPECT_EQ(text_of(flock_.ended(run), "state"), "completed");
  EXPECT_EQ(read(root + "/where"), root + "\n");
  flock_.ok({"project", "rm", "game"});
  until_names("");
}

// `validate` prints every problem with its place, without a daemon, and exits with 2.
TEST_F(DeclaredStory, FilesAreValidated) {
  const std::string good = write(flock_.file("good.toml"), every("one"));
  const std::string bad =
      write(flock_.file("bad.toml"), "[[trigger]]\nname = 'one'\ncorn = 1\nevery = '1s'\n");
  EXPECT_EQ(flock_.ok({"--no-start", "trigger", "validate", good}), good + ": 1 trigger");
  const Output refused = flock_.drover({"--no-start", "trigger", "validate", good, bad});
  EXPECT_EQ(refused.code, 2);
  for (const char* says : {":3:1: unknown key corn; did you mean cron?", ":4:9: the interval must",
                           ":1:1: the command is missing"}) {
    EXPECT_TRUE(refused.out.contains(bad + says)) << refused.out;
  }
  const Output twice =
      flock_.drover({"trigger", "validate", good, write(flock_.file("c.toml"), every("one"))});
  EXPECT_EQ(twice.code, 2);
  EXPECT_TRUE(twice.out.contains("is declared in " + good + ":1, too")) << twice.out;
  EXPECT_EQ(flock_.drover({"trigger", "validate", flock_.file("none.toml")}).code, 2);
}

// A file that other users can write is refused with the command that fixes it; nothing of it runs.
TEST_F(DeclaredStory, AFileOfOthersIsRefused) {
  write(own("a"), every("one"));
  ::chmod(own("a").c_str(), 0666);
  flock_.daemon();
  until("a problem", [&] { return !problems().empty(); });
  EXPECT_EQ(names(), "");
  EXPECT_TRUE(flock_.drover({"trigger", "ls"}).err.contains("run `chmod go-w"));
}

}  // namespace
}  // namespace drover::tests
