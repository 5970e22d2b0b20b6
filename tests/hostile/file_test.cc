// Drover's files replaced by something else: links, directories, pipes. Drover never follows them,
// never blocks on them, and never reads, writes or deletes anything through them.
#include <sys/stat.h>

#include <boost/json/array.hpp>
#include <filesystem>

#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

namespace fs = std::filesystem;
using tests::text_of;

class Files : public AttackedFlock {
 protected:
  Files() {
    flock_.daemon();
    fs::create_directory(flock_.file("victim"));
    for (const char* name : {"output", "index", "file"}) {
      EXPECT_TRUE(replace_file(flock_.file("victim/") + name, "secret\n"));
    }
  }
  void expect_victim_unhurt() {
    size_t files = 0;
    for (const auto& entry : fs::directory_iterator(flock_.file("victim"))) {
      EXPECT_EQ(read_file(entry.path(), 1 << 20).value(), "secret\n") << entry.path();
      ++files;
    }
    EXPECT_EQ(files, 3U);
  }
  std::string directory(const std::string& id) { return flock_.home().runs() + "/" + id; }
  std::string file(const std::string& id) { return directory(id) + ".run"; }

  // A run that is queued behind another one until `release`.
  std::string waiting(const std::string& script) {
    if (blocker_.empty()) {
      blocker_ = flock_.run("sleep 1000", {"--lane", "narrow"});
      flock_.wait_for_state(blocker_, "running");
    }
    return flock_.run(script, {"--lane", "narrow"});
  }
  void release() { flock_.ok({"cancel", "--grace", "0s", blocker_}); }

 private:
  std::string blocker_;
};

class FilesOfAQueuedRun : public Files, public ::testing::WithParamInterface<std::string> {};

// A queued run whose file was replaced does not start, and its failure names the step, also after a
// restart.
TEST_P(FilesOfAQueuedRun, FailTheRunIfReplaced) {
  struct Case {
    std::string id, kind;
  };
  std::vector<Case> cases;
  for (const char* kind : {"link", "directory", "nothing", "words", "pipe", "socket"}) {
    cases.push_back({waiting("touch " + flock_.file("ran")), kind});
    fs::rename(file(cases.back().id), flock_.file(std::string("taken ") + kind));
  }
  fs::create_symlink(flock_.file("taken link"), file(cases[0].id));
  fs::create_directory(file(cases[1].id));
  EXPECT_TRUE(replace_file(file(cases[3].id), "words"));
  ASSERT_EQ(::mkfifo(file(cases[4].id).c_str(), 0600), 0);
  ASSERT_EQ(::mknod(file(cases[5].id).c_str(), S_IFSOCK | 0600, 0), 0);
  if (GetParam() == "crash") flock_.kill_daemon();
  release();
  for (const Case& c : cases) {
    const auto record = flock_.ended(c.id);
    EXPECT_EQ(text_of(record, "state"), "failed") << c.kind;
    EXPECT_EQ(text_of(record, "reason"), "launch_failed") << c.kind;
    EXPECT_NE(text_of(record, "launch_step"), "") << c.kind;
    EXPECT_NE(text_of(record, "launch_error"), "") << c.kind;
  }
  EXPECT_FALSE(fs::exists(flock_.file("ran")));
  EXPECT_EQ(end_of_a_run(), "completed");
  const tests::Output report = flock_.drover({"doctor", "--verify"});
  EXPECT_EQ(report.code, 1);
  for (const size_t odd : {0U, 4U, 5U}) {
    EXPECT_NE(report.out.find(cases[odd].id + ".run is neither a file nor a directory"),
              std::string::npos);
  }
  for (const Case& c : cases) EXPECT_EQ(flock_.drover({"rm", c.id}).code, 0) << c.kind;
  flock_.expect_verified();
  flock_.ok({"stop"});  // A daemon that stops has cleaned up.
  EXPECT_TRUE(fs::is_empty(flock_.home().trash()));
}

INSTANTIATE_TEST_SUITE_P(Hostile, FilesOfAQueuedRun, ::testing::Values("peace", "crash"),
                         [](const auto& info) { return info.param; });

// R11: output that cannot be stored in its place is dropped and counted; the command continues.
TEST_F(Files, OutputThatCannotBeStoredIsCounted) {
  const std::string linked = waiting("echo words; exit 3");
  const std::string inside = waiting("echo words; exit 3");
  const std::string taken = waiting("echo words; exit 3");
  const std::string piped = waiting("echo words; exit 3");
  fs::create_symlink(flock_.file("victim"), directory(linked));
  fs::create_directory(directory(inside));
  fs::create_symlink(flock_.file("victim/file"), directory(inside) + "/output");
  EXPECT_TRUE(replace_file(directory(taken), ""));
  fs::create_directory(directory(piped));
  ASSERT_EQ(::mkfifo((directory(piped) + "/output").c_str(), 0600), 0);
  release();
  for (const std::string& id : {linked, inside, taken, piped}) {
    const auto record = flock_.ended(id);
    EXPECT_EQ(record.at("exit_code").to_number<int>(), 3);
    EXPECT_EQ(record.at("receipt").at("dropped_bytes").to_number<int>(), 6);
    EXPECT_EQ(flock_.drover({"logs", id}).out, "");
    EXPECT_EQ(flock_.drover({"rm", id}).code, 0);
    EXPECT_FALSE(fs::exists(fs::symlink_status(directory(id))));
  }
  expect_victim_unhurt();
  flock_.expect_verified();
}

// R8, R11: a link in place of a finished run's files reveals nothing of its target, and deleting
// the run deletes only the link.
TEST_F(Files, LinksInPlaceOfAFinishedRunsFilesAreNotFollowed) {
  const char* const kParts[] = {".run", "", "/output", "/index"};
  const auto targets = [&](const std::string& part) {
    return flock_.file(part.empty() ? "victim" : "victim/file");
  };
  for (const char* part : kParts) {
    SCOPED_TRACE(part);
    const std::string id = flock_.run("echo words; exit 3");
    flock_.ended(id);
    fs::remove_all(directory(id) + part);
    fs::create_symlink(targets(part), directory(id) + part);
    for (const char* query : {"", "?tail=1", "?format=ndjson", "?offset=3"}) {
      race::Client client = connect();
      client.send("GET /api/runs/" + id + "/logs" + query +
                  " HTTP/1.1\r\nConnection: close\r\n\r\n");
      std::string all;
      char buffer[4096];
      for (ssize_t n = 0; (n = ::read(client.fd(), buffer, sizeof buffer)) > 0;) {
        all.append(buffer, static_cast<size_t>(n));
      }
      EXPECT_TRUE(all.starts_with("HTTP/1.1 ")) << query;
      EXPECT_EQ(all.find("secret"), std::string::npos) << query << all;
    }
    race::Client follower = connect();
    follower.send(race::request_of("GET", "/api/runs/" + id + "/events?follow=true&output=true"));
    EXPECT_EQ(follower.take_stream().find("secret"), std::string::npos);
    EXPECT_EQ(flock_.show(id).at("exit_code").to_number<int>(), 3);
    EXPECT_EQ(flock_.drover({"rm", id}).code, 0);
    EXPECT_FALSE(fs::exists(fs::symlink_status(directory(id) + part)));
    expect_victim_unhurt();
  }
  flock_.expect_verified();
}

// A pipe in place of an output file would block a program that opens it: Drover does not open it.
TEST_F(Files, APipeInPlaceOfTheOutputBlocksNothing) {
  for (const char* part : {"/output", "/index"}) {
    const std::string id = flock_.run("echo words");
    flock_.ended(id);
    fs::remove(directory(id) + part);
    ASSERT_EQ(::mkfifo((directory(id) + part).c_str(), 0600), 0);
    const Refusal refusal = ask("GET", "/api/runs/" + id + "/logs");
    EXPECT_NE(refusal.status, 0);
    EXPECT_EQ(flock_.drover({"rm", id}).code, 0);
  }
  begin();
  expect_untouched();
}

// R8: links in the trash or among the runs at a daemon's start are removed without their targets.
TEST_F(Files, LeftoverLinksAreRemovedWithoutTheirTargets) {
  const std::string id = flock_.run("echo words");
  flock_.ended(id);
  flock_.ok({"stop"});
  const std::string stray = "run_7zzzzzzzzzzzzzzzzzzzzzzzzz";
  for (const std::string& place : {flock_.home().trash(), flock_.home().runs()}) {
    fs::create_symlink(flock_.file("victim"), place + "/" + stray);
    fs::create_symlink(flock_.file("victim/file"), place + "/" + stray + ".run");
  }
  begin();
  flock_.ok({"stop"});  // A daemon that stops has cleaned up.
  EXPECT_TRUE(fs::is_empty(flock_.home().trash()));
  expect_victim_unhurt();
  EXPECT_EQ(flock_.ok({"logs", id}), "words");
}

}  // namespace
}  // namespace drover::hostile
