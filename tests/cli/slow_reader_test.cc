// A foreground run whose output is read slowly, through the real programs (R10, R11): the command
// waits as it would for a pipe, and nothing else does.
#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>

#include "base/limits.h"
#include "tests/harness.h"

namespace drover::tests {
namespace {

namespace fs = std::filesystem;

class SlowReader : public ::testing::Test {
 protected:
  // Waits until the unread output of the run fills the reserve: then the command waits.
  void wait_for_full_reserve(const std::string& name) {
    const std::string id = text_of(flock_.show(name), "run_id");
    for (std::uintmax_t bytes = 0; bytes < limits::kOutputReserveBytes;) {
      bytes = 0;
      std::error_code error;
      for (const auto& file : fs::directory_iterator(flock_.home().runs() + "/" + id, error)) {
        const std::uintmax_t size = file.file_size(error);
        if (!error) bytes += size;
      }
      ::sched_yield();
    }
  }

  Flock flock_;
};

// R11: the end of a run never waits for its reader, also if the reserve is full: what is left in
// the pipes fits beyond it. Every byte is there when the reader reads on, on both streams.
TEST_F(SlowReader, TheEndDoesNotWait) {
  auto attached =
      flock_.start({"run", "--name", "unread", "--output-limit", "16K", "--shell", "--",
                    "yes & " + until_file(flock_.file("go")) + "kill -9 $!; echo last >&2"});
  attached->wait_for("y\n");
  wait_for_full_reserve("unread");
  flock_.touch("go");
  const auto record = flock_.ended("unread");
  EXPECT_EQ(text_of(record, "state"), "completed");
  const Output output = attached->finish();
  EXPECT_EQ(output.code, 0);
  EXPECT_EQ(static_cast<std::int64_t>(output.out.size()), record.at("stdout_bytes").as_int64());
  EXPECT_EQ(output.err, "last\n");
  EXPECT_TRUE(record.at("receipt").at("drained").as_bool());
  // Every pair of bytes is a line of `yes`; the last may be cut.
  for (size_t i = 0; i < output.out.size(); ++i) {
    ASSERT_EQ(output.out[i], i % 2 == 0 ? 'y' : '\n') << i;
  }
}

// R11: a process that the command leaves behind has a moment to print its last output, although the
// reserve is full; the end does not wait for the reader. On a busy machine the moment may be too
// short, so this is tried a few times.
TEST_F(SlowReader, WhatIsLeftBehindCanStillPrint) {
  bool printed = false;
  for (int i = 0; i < 5 && !printed; ++i) {
    const std::string name = "unread" + std::to_string(i), go = "go" + std::to_string(i);
    auto attached = flock_.start(
        {"run", "--name", name, "--output-limit", "16K", "--shell", "--",
         "yes & " + until_file(flock_.file(go)) +
             "kill -9 $!; (for i in $(seq 100); do printf %01000d 0; done; echo end) & exit 0"});
    attached->wait_for("y\n");
    wait_for_full_reserve(name);
    flock_.touch(go);
    EXPECT_EQ(text_of(flock_.ended(name), "state"), "completed");
    printed = attached->finish().out.ends_with("0end\n");
  }
  EXPECT_TRUE(printed);
}

// R10, R11: a command that waits for its reader is not idle, however long it waits. A command that
// prints nothing is.
TEST_F(SlowReader, WaitingForTheReaderIsNotIdle) {
  const std::string line(99, 'x');
  constexpr int kLines = 1'000'000;  // More than the reserve.
  auto attached =
      flock_.start({"run", "--name", "unread", "--idle-timeout", "3s", "--output-limit", "16K",
                    "--shell", "--", "yes " + line + " | head -n " + std::to_string(kLines)});
  attached->wait_for(line);
  wait_for_full_reserve("unread");
  // Two runs that are stopped for it, one after the other, take longer than its timeout.
  for (int i = 0; i < 2; ++i) {
    const std::string quiet = flock_.run("echo x; sleep 1000", {"--idle-timeout", "2s"});
    EXPECT_EQ(text_of(flock_.ended(quiet), "reason"), "idle_timeout");
  }
  EXPECT_EQ(text_of(flock_.show("unread"), "state"), "running");
  const Output output = attached->finish();
  EXPECT_EQ(output.code, 0) << output.err;
  std::string printed;
  for (int i = 0; i < kLines; ++i) printed += line + "\n";
  EXPECT_TRUE(output.out == printed) << output.out.size();
}

// R7, R11: a command that waits for its reader can be canceled, and then prints what it still has
// to say without waiting. The reader gets all of it.
TEST_F(SlowReader, ACancelDoesNotWait) {
  auto attached = flock_.start({"run", "--name", "unread", "--output-limit", "16K", "--shell", "--",
                                "trap 'seq 1 500000; exit 3' TERM; seq 1 99999999"});
  attached->wait_for("\n9\n");
  wait_for_full_reserve("unread");
  flock_.ok({"cancel", "--grace", "60s", "unread"});
  const auto record = flock_.ended("unread");
  EXPECT_EQ(text_of(record, "state"), "canceled");
  EXPECT_EQ(text_of(record, "reason"), "canceled_by_owner");
  const Output output = attached->finish();
  EXPECT_EQ(output.code, 130);
  EXPECT_EQ(static_cast<std::int64_t>(output.out.size()), record.at("stdout_bytes").as_int64());
  // All that it printed until the cancel, and then all that it printed because of it.
  std::string last;
  for (int i = 1; i <= 500'000; ++i) last += std::to_string(i) + "\n";
  ASSERT_TRUE(output.out.ends_with(last));
  const std::string_view before(output.out.data(), output.out.size() - last.size());
  std::string first;
  for (int i = 1; first.size() < before.size(); ++i) first += std::to_string(i) + "\n";
  EXPECT_TRUE(first.starts_with(before));
}

// R11, R14: only a caller that may cancel a run, or has started it, can make it wait.
TEST_F(SlowReader, MustBeAllowedToCancel) {
  const std::string name = "DROVER_TOKEN";
  flock_.environment[name] = flock_.ok({"token", "create", "--can", "read,run", "--ttl", "1h"});
  EXPECT_EQ(flock_.drover({"run", "--name", "of-another", "--", "true"}).code, 0);
  flock_.environment.erase(name);
  const std::string id = text_of(flock_.show("of-another"), "run_id");
  const auto answer = [&](const std::string& can) {
    const std::string token = flock_.ok({"token", "create", "--can", can, "--ttl", "1h"});
    return flock_.http("GET /api/runs/" + id +
                       "/events?follow=true&output=true&format=frames&exact=true HTTP/1.1\r\n"
                       "Host: d\r\nConnection: close\r\nAuthorization: Bearer " +
                       token + "\r\n\r\n");
  };
  EXPECT_TRUE(answer("read").starts_with("HTTP/1.1 403")) << answer("read");
  EXPECT_TRUE(answer("read,run").starts_with("HTTP/1.1 403")) << answer("read,run");
  EXPECT_TRUE(answer("read,cancel").starts_with("HTTP/1.1 200"));
}

}  // namespace
}  // namespace drover::tests
