// Drover's files with one flipped bit, as a failing disk leaves them. A damaged command is not run,
// an uncertain exit code is not reported, and damaged output harms only its reader.
#include <fcntl.h>
#include <sys/stat.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>

#include "base/journal.h"
#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

namespace fs = std::filesystem;

class Damage : public AttackedFlock {
 protected:
  Damage() {
    begin();
    fs::create_directory(flock_.file("den"));
  }
  std::string file(const std::string& id) { return flock_.home().runs() + "/" + id + ".run"; }

  std::string submit(race::Client& client, const std::string& script, const std::string& lane) {
    const boost::json::object body{{"command", boost::json::array{"/bin/sh", "-c", script}},
                                   {"cwd", flock_.file("den")},
                                   {"lane", lane},
                                   {"inherit_env", false}};
    return client.ask("POST", "/api/runs", boost::json::serialize(body)).text("run_id");
  }
  void set_lane(const std::string& lane, int limit) {
    EXPECT_EQ(ask("PUT", "/api/lanes/" + lane, R"({"limit":)" + std::to_string(limit) + "}").status,
              200);
  }
  race::HttpAnswer ended(race::Client& client, const std::string& id) {
    return client.ask("GET", "/api/runs/" + id + "?wait=60s");
  }
  // Flips one bit of that byte.
  static void turn(const std::string& path, size_t at) {
    const Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    char byte = 0;
    ASSERT_EQ(::pread(fd.get(), &byte, 1, static_cast<off_t>(at)), 1) << path << " " << at;
    byte = static_cast<char>(byte ^ (1 << at % 8));
    ASSERT_EQ(::pwrite(fd.get(), &byte, 1, static_cast<off_t>(at)), 1);
  }
};

// H6: a queued run whose file has any flipped bit fails at `spec`, and never runs another command.
// A flipped bit in the empty journal area does not matter.
TEST_F(Damage, OfACommandNeverRunsAnother) {
  race::Client client = connect();
  const std::string blocker = submit(client, "sleep 1000", "narrow");
  flock_.wait_for_state(blocker, "running");
  const std::string script = "echo x >> ran";
  const std::string first = submit(client, script, "narrow");
  const size_t bytes = fs::file_size(file(first));
  ASSERT_GT(bytes, kJournalBytes + 100);
  std::vector<std::string> ids{first};
  while (ids.size() < bytes) ids.push_back(submit(client, script, "narrow"));
  for (size_t at = 0; at < bytes; ++at) turn(file(ids[at]), at);
  // Also files that are too short, or too long.
  std::vector<std::string> cut;
  for (const size_t size : {size_t{0}, size_t{1}, kJournalBytes - 1, kJournalBytes,
                            kJournalBytes + 63, bytes - 1, bytes + 1, size_t{1} << 40}) {
    cut.push_back(submit(client, script, "narrow"));
    fs::resize_file(file(cut.back()), size);
  }
  set_lane("narrow", 32);
  flock_.ok({"cancel", "--grace", "0s", blocker});
  for (size_t at = 0; at < bytes; ++at) {
    const race::HttpAnswer record = ended(client, ids[at]);
    EXPECT_EQ(record.text("state"), at < kJournalBytes ? "completed" : "failed") << at;
    if (at < kJournalBytes) continue;
    EXPECT_EQ(record.text("launch_step"), "spec") << at;
    EXPECT_EQ(record.text("launch_error"), "EBADMSG") << at;
    EXPECT_NE(record.text("message"), "") << at;
  }
  for (const std::string& id : cut) EXPECT_EQ(ended(client, id).text("launch_step"), "spec");
  EXPECT_EQ(fs::file_size(flock_.file("den/ran")), 2 * kJournalBytes);
  flock_.expect_verified();
}

// H10: for a run that finished while the daemon was away, one damaged byte of its journal is
// tolerated, and the exit code is reported; with more damage the run is `abandoned`, never a
// success.
TEST_F(Damage, OfAJournalIsNeverASuccess) {
  ASSERT_EQ(::mkfifo(flock_.file("gate").c_str(), 0600), 0);
  const Fd gate(::open(flock_.file("gate").c_str(), O_RDWR | O_CLOEXEC));
  constexpr size_t kRecordsEnd = 384 + 8 + sizeof(EndingRecord);
  constexpr size_t kStatusEnd = 256 + 8 + sizeof(StatusRecord);
  const std::vector<size_t> lengths{
      0, 1, 64, 128, 168, 256, kStatusEnd - 1, kStatusEnd, 384, kRecordsEnd - 1, kRecordsEnd};
  race::Client client = connect();
  set_lane("wide", 2'000);
  std::vector<std::string> ids;
  while (ids.size() < kRecordsEnd / 2 + lengths.size()) {
    ids.push_back(submit(client, "read x < " + flock_.file("gate") + "; exit 7", "wide"));
  }
  for (const std::string& id : ids) flock_.wait_for_state(id, "running");
  client.close();
  flock_.kill_daemon();
  ASSERT_TRUE(write_all(gate.get(), std::string(ids.size(), '\n')));  // One line for each.
  for (const std::string& id : ids) flock_.wait_for_keeper(id);
  for (size_t i = 0; i < kRecordsEnd / 2; ++i) turn(file(ids[i]), 2 * i + i % 2);
  for (size_t i = 0; i < lengths.size(); ++i) {
    fs::resize_file(file(ids[kRecordsEnd / 2 + i]), lengths[i]);
  }
  flock_.daemon();
  race::Client again = connect();
  for (size_t i = 0; i < ids.size(); ++i) {
    const race::HttpAnswer record = ended(again, ids[i]);
    const bool known = i < kRecordsEnd / 2 || lengths[i - kRecordsEnd / 2] >= kStatusEnd;
    EXPECT_EQ(record.text("state"), known ? "failed" : "abandoned") << i;
    EXPECT_EQ(record.number("exit_code"), known ? 7 : -1) << i;
  }
  flock_.expect_verified();
}

// R11: damaged output gives its reader an error or a shorter answer; the daemon continues, and
// repaired data is read again.
TEST_F(Damage, OfTheOutputHarmsOnlyItsReader) {
  const std::string script = "for i in 1 2 3 4 5 6; do echo out $i; echo err $i >&2; done; " +
                             tests::until_file(flock_.file("go")) + "echo last";
  const std::string id = flock_.run(script);
  const std::string directory = flock_.home().runs() + "/" + id;
  flock_.start({"logs", "-f", id})->wait_for("err 6");
  flock_.wait_for_state(id, "running");
  race::Client follower = connect();
  follower.send(race::request_of("GET", "/api/runs/" + id + "/events?follow=true&output=true"));
  const std::string index = read_file(directory + "/index", 1 << 20).value();
  const std::string output = read_file(directory + "/output", 1 << 20).value();
  const auto put = [](const std::string& path, const std::string& bytes) {
    const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    ASSERT_TRUE(write_all(fd.get(), bytes));
  };
  const auto look = [&](const std::string& what) {
    race::Client client = connect();
    for (const char* query :
         {"", "?tail=3", "?format=ndjson", "?offset=5&limit=7", "?stream=stderr",
          "?tail=2&stream=stdout", "?offset=9223372036854775807"}) {
      const race::HttpAnswer answer = client.ask("GET", "/api/runs/" + id + "/logs" + query);
      if (answer.status != 200) EXPECT_EQ(refusal_in(answer).status, 500) << what << query;
    }
    EXPECT_EQ(client.ask("GET", "/api/runs/" + id).text("state"), "running") << what;
  };
  for (size_t at = 0; at < index.size(); ++at) {
    turn(directory + "/index", at);
    look("turned " + std::to_string(at));
    turn(directory + "/index", at);
  }
  for (const std::string& bytes :
       {std::string(), index.substr(0, 23), index.substr(0, 24), index.substr(0, 30),
        std::string(4'096, '\0'), std::string(4'096, '\xff'),
        index.substr(0, 24) + std::string(4'800, '\xff')}) {
    put(directory + "/index", bytes);
    look("index of " + std::to_string(bytes.size()));
  }
  // A head that claims to be full, so that a tail of any number may exist.
  std::string full = index;
  full.replace(8, 8, std::string("\1\0\0\0\0\0\0\0", 8));
  put(directory + "/index", full);
  for (const char* number :
       {".0", ".1", ".-1", ".x", ".18446744073709551615", ".99999999999999999999"}) {
    put(directory + "/index" + number, index);
    put(directory + "/output" + number, "x");
    look(number);
  }
  for (const char* number :
       {".0", ".1", ".-1", ".x", ".18446744073709551615", ".99999999999999999999"}) {
    fs::remove(directory + "/index" + number);
    fs::remove(directory + "/output" + number);
  }
  put(directory + "/index", index);
  put(directory + "/output", "");
  look("no output");
  put(directory + "/output", output);
  flock_.touch("go");
  const std::string told = follower.take_stream();
  EXPECT_TRUE(told.find("event: run.completed") != std::string::npos ||
              told.find("event: error") != std::string::npos);
  flock_.ended(id);
  EXPECT_EQ(flock_.ok({"logs", id}), output + "last");
  flock_.expect_verified();
}

}  // namespace
}  // namespace drover::hostile
