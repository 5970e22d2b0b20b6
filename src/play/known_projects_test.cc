#include "play/known_projects.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "play/kinds.h"
#include "play/phase.h"
#include "store/store_contract.h"
#include "testing/clock.h"
#include "testing/store.h"

namespace drover::play {
namespace {

using store::must;
using store::reason_of;

KnownProject project(const std::string& id, const std::string& root) {
  return {.id = id, .root = root, .added_at = 7};
}

const run::Kinds& kinds() {
  static const std::array<std::span<const run::Kind>, 1> kRooms{kKinds};
  static const run::Kinds all(kRooms);
  return all;
}

class KnownProjects : public ::testing::Test {
 protected:
  Result<store::Written> write(store::Write write) {
    return store::write_to(store_, std::move(write));
  }
  run::Record play(const std::string& id = "game") {
    run::Record r;
    r.id = ids_.next();
    r.kind = kPlay;
    r.scope = play::scope_of(id);
    r.queued_at = clock_.wall_ms();
    r.phase = play::text_of({.project = id});
    return r;
  }

  testing::ManualClock clock_;
  IdMaker ids_{clock_};
  testing::TestStore store_{clock_, {.kinds = &kinds(), .rooms = {kTables}}};
};

// A project is read back as it was written, and an id has one directory.
TEST_F(KnownProjects, AreKept) {
  must(write(add_project(project("b", "/b\xff"))));
  must(write(add_project(project("a", "/a"))));
  EXPECT_TRUE(must(write(add_project(project("a", "/a")))).events.empty());
  EXPECT_EQ(reason_of(write(add_project(project("a", "/c")))), "project_elsewhere");
  EXPECT_EQ(reason_of(write(add_project(project("c", "/a")))), "project_elsewhere");
  EXPECT_EQ(must(known_projects(store_)),
            (std::vector{project("a", "/a"), project("b", "/b\xff")}));
  EXPECT_EQ(must(known_project(store_, "a")), project("a", "/a"));
  must(write(remove_project("a")));
  EXPECT_EQ(reason_of(write(remove_project("a"))), "not_found");
  EXPECT_EQ(reason_of(known_project(store_, "a")), "not_found");
  EXPECT_EQ(must(known_projects(store_)).size(), 1u);
}

// Adding and removing a project writes events that readers of the project's scope receive.
TEST_F(KnownProjects, WriteEvents) {
  must(write(add_project(project("game", "/game"))));
  must(write(remove_project("game")));
  const auto events = must(store_.events({.scope = "project/game", .of_owner = false}));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].type, "project.added");
  EXPECT_EQ(events[1].type, "project.removed");
  for (const run::Event& event : events) EXPECT_EQ(event.subject(), "project/game");
  EXPECT_EQ(must(store_.events({.about = "project"})).size(), 2u);
}

// A project cannot be removed while it is being played.
TEST_F(KnownProjects, StayWhileTheyArePlayed) {
  must(write(add_project(project("game", "/game"))));
  const RunId id = must(write(run::Fact(run::Submitted{play(), "", ""}))).record.id;
  EXPECT_EQ(reason_of(write(remove_project("game"))), "project_busy");
  must(write(run::Fact(changed(
      id, {.happening = play::Happening::preparation_failed,
           .rest = {.happening = run::Happening::failed, .reason = run::Reason::exit_nonzero}}))));
  must(write(remove_project("game")));
}

// If Play races with the removal of its project, either the play starts and the removal is refused,
// or the play is refused.
TEST_F(KnownProjects, ArePlayedOnlyWhileTheyExist) {
  const run::Record late = play();
  const store::Work pressed = [&](store::Transaction& t) -> Result<> {
    if (auto known = check_project(t, "game"); !known) return known;
    auto written = t.record(run::Submitted{late, "", ""});
    return written ? Result<>{} : std::unexpected(written.error());
  };
  EXPECT_EQ(reason_of(write(pressed)), "not_found");
  EXPECT_EQ(must(store_.find(late.id)), std::nullopt);
  must(write(add_project(project("game", "/game"))));
  EXPECT_EQ(must(write(pressed)).record.state, run::State::running);
}

// A table from before there were rooms is still used.
TEST(OldProjects, AreStillRead) {
  const testing::TestDirectory directory;
  const testing::ManualClock clock;
  const std::string path = directory.file("drover.db");
  std::filesystem::copy_file(std::string(DROVER_OLD) + "/schema-6.db", path);
  const auto store =
      must(store::SqliteStore::open(path, clock, {.kinds = &kinds(), .rooms = {kTables}}));
  EXPECT_EQ(must(known_projects(*store)),
            (std::vector{KnownProject{"game", "/home/somebody/game", 1'790'000'000'100}}));
}

}  // namespace
}  // namespace drover::play
