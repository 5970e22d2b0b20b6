// Output beyond its limit, through the real programs: a foreground run passes on every byte, and
// every other reader learns which bytes are not kept.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <sstream>

#include "tests/harness.h"

namespace drover::tests {
namespace {

using boost::json::object;

constexpr int kLines = 200'000;

std::string numbers(int last) {
  std::string out;
  for (int i = 1; i <= last; ++i) out += std::to_string(i) + "\n";
  return out;
}

class PastTheLimit : public ::testing::Test {
 protected:
  // A finished run that printed the numbers and kept only 16 KiB of them.
  std::string limited() {
    const std::string id = flock_.run("seq 1 " + std::to_string(kLines), {"--output-limit", "16K"});
    EXPECT_EQ(text_of(flock_.ended(id), "state"), "completed");
    return id;
  }
  std::string shell(const std::string& script) {
    Started started({"/bin/bash", "-c", script}, environment(), "");
    const Output output = started.finish();
    EXPECT_EQ(output.code, 0) << output.out << output.err;
    return output.out;
  }
  std::map<std::string, std::string> environment() {
    std::map<std::string, std::string> out = flock_.environment;
    out["PATH"] = flock_.programs + ":/usr/bin:/bin";
    return out;
  }

  Flock flock_;
};

// R11: a foreground run passes on 3 GiB with an output limit of 1 MiB, and every byte arrives.
TEST_F(PastTheLimit, AForegroundRunPassesOnEveryByte) {
  flock_.ok({"run", "--", "true"});
  shell("cmp <(drover run --output-limit 1M -- seq 1 335000000) <(seq 1 335000000)");
  const object record = flock_.show("@last");
  EXPECT_EQ(text_of(record, "state"), "completed");
  EXPECT_GT(record.at("stdout_bytes").as_int64(), 3LL << 30);
}

// R11: the same if the daemon is killed meanwhile: the client resumes with the next one.
TEST_F(PastTheLimit, EveryByteArrivesThoughTheDaemonIsKilled) {
  const std::string go = flock_.file("go");
  auto attached = flock_.start({"run", "--output-limit", "16K", "--shell", "--",
                                "seq 1 400000; " + until_file(go) + "seq 1 400000"});
  attached->wait_for("\n399999\n");
  flock_.kill_daemon();
  flock_.touch("go");
  const Output output = attached->finish();
  EXPECT_EQ(output.code, 0) << output.err;
  EXPECT_TRUE(output.out == numbers(400'000) + numbers(400'000)) << output.out.size();
}

// R11: that holds if the daemon is stopped on the way: the command waits for the client.
TEST_F(PastTheLimit, EveryByteArrivesThoughTheDaemonIsStopped) {
  const std::string go = flock_.file("go");
  auto attached = flock_.start(
      {"run", "--output-limit", "16K", "--shell", "--",
       "seq 1 400000; " + until_file(go) + "seq 1 400000; : > " + flock_.file("done")});
  attached->wait_for("\n399999\n");
  flock_.ok({"stop"});
  flock_.touch("go");
  flock_.wait_for_file("done");
  flock_.ok({"ps"});  // Starts the next daemon.
  const Output output = attached->finish();
  EXPECT_EQ(output.code, 0) << output.err;
  EXPECT_TRUE(output.out == numbers(400'000) + numbers(400'000)) << output.out.size();
}

// R11: there is a reserve for every limit, also if a segment is larger than it.
TEST_F(PastTheLimit, TheLastBytesFitALargeLimit) {
  flock_.ok({"run", "--", "true"});
  const std::string size = std::to_string((300 << 20) + 50'000);
  EXPECT_EQ(shell("drover run --output-limit 300M -- head -c " + size + " /dev/zero | wc -c"),
            size + "\n");
}

// R11: a client that is killed while its run is queued is no reader: the run does not wait for it,
// and keeps no more than any other.
TEST_F(PastTheLimit, ARunWhoseReaderDiedInTheQueueKeepsNoReserve) {
  const std::string go = flock_.file("go");
  const std::string first = flock_.run(until_file(go), {"--lane", "one"});
  auto attached = flock_.start({"run", "--lane", "one", "--name", "second", "--output-limit", "16K",
                                "--", "seq", "1", "2000000"});
  const std::string metrics = "GET /metrics HTTP/1.1\r\nHost: drover\r\nConnection: close\r\n\r\n";
  while (flock_.http(metrics).find("\ndrover_sse_clients 1\n") == std::string::npos)
    ::sched_yield();
  attached->signal(SIGKILL);
  attached->finish();
  flock_.touch("go");
  const object record = flock_.ended("second");
  EXPECT_EQ(text_of(record, "state"), "completed");
  // The daemon removes it at once if the keeper had no time to learn of it. Two parts of lines have
  // got an end.
  while (flock_.ok({"logs", "--raw", "second"}).size() > (16 << 10) + 2) ::sched_yield();
}

// R11: if the client goes away, the run continues, and as much output is kept as of any other run.
TEST_F(PastTheLimit, ARunContinuesWithoutItsReader) {
  auto attached = flock_.start({"run", "--output-limit", "256K", "--", "seq", "1", "20000000"});
  attached->wait_for("\n9\n");
  attached->signal(SIGKILL);
  attached->finish();
  const object record = flock_.ended("@last");
  EXPECT_EQ(text_of(record, "state"), "completed");
  EXPECT_EQ(record.at("stdout_bytes").as_int64(), 168'888'897);
}

// R11: `logs` prints only lines that the command has printed, and says on stderr exactly how many
// bytes are missing between them.
TEST_F(PastTheLimit, LogsReportTheGap) {
  const std::string id = limited();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"logs", id}, {"logs", "-f", id}, {"logs", "-f", "--plain", id}}) {
    const Output logs = flock_.drover(words);
    const std::string all = numbers(kLines);
    std::istringstream lines(logs.out);
    int last = 0;
    int jumps = 0;
    for (std::string line; std::getline(lines, line); last = std::stoi(line)) {
      const int number = std::stoi(line);
      EXPECT_EQ(std::to_string(number), line);
      EXPECT_GT(number, last);
      jumps += number != last + 1 ? 1 : 0;
    }
    EXPECT_EQ(last, kLines);
    EXPECT_EQ(jumps, 1);
    std::string missing;
    for (const char c : logs.err.substr(0, logs.err.find(" bytes not kept"))) {
      if (c >= '0' && c <= '9') missing += c;
    }
    EXPECT_NE(logs.err.find(" bytes not kept \u2026\n"), std::string::npos) << logs.err;
    if (words.size() == 2) {
      EXPECT_EQ(logs.out.size() + std::stoull("0" + missing), all.size()) << logs.err;
    }
  }
}

// R11: `--tail N` prints N lines if they are kept, and nothing about a gap before them.
TEST_F(PastTheLimit, TailPrintsWholeLines) {
  const std::string id = limited();
  const Output tail = flock_.drover({"logs", "--tail", "100", id});
  const std::string all = numbers(kLines);
  EXPECT_EQ(tail.out.size(), 700U);
  EXPECT_TRUE(all.ends_with(tail.out));
  EXPECT_EQ(tail.err, "");
}

// R11: lines on the other side of the gap are counted as lines, too: the one that it cuts is not.
TEST_F(PastTheLimit, TailCountsWholeLines) {
  const std::string id = limited();
  for (int lines = 1'400; lines < 1'420; ++lines) {
    const Output tail = flock_.drover({"logs", "--tail", std::to_string(lines), id});
    EXPECT_EQ(std::ranges::count(tail.out, '\n'), lines) << tail.err;
  }
}

// R11: no command that prints output joins head and tail.
TEST_F(PastTheLimit, HeadAndTailAreNeverJoined) {
  const std::string script = "echo 0; seq 1 20000";
  const std::string id = flock_.run(script, {"--output-limit", "4K"});
  const std::string terminal = flock_.run(script, {"--pty", "--output-limit", "4K"});
  for (const std::string& run : {id, terminal}) {
    EXPECT_EQ(text_of(flock_.ended(run), "state"), "completed");
    for (const std::vector<std::string>& options : {std::vector<std::string>{},
                                                    {"-t"},
                                                    {"-f"},
                                                    {"-f", "-t"},
                                                    {"-f", "--plain"},
                                                    {"--plain"},
                                                    {"--plain", "--raw"},
                                                    {"--raw"},
                                                    {"--raw", "-t"},
                                                    {"-f", "--raw"}}) {
      std::vector<std::string> words = {"logs", run};
      words.insert(words.end(), options.begin(), options.end());
      const Output logs = flock_.drover(words);
      EXPECT_NE(logs.err.find(" bytes not kept"), std::string::npos);
      std::istringstream lines(logs.out);
      for (std::string line; std::getline(lines, line);) {
        const std::string number = line.substr(line.rfind(' ') + 1);  // Behind the time.
        EXPECT_LE(std::stoi("0" + number), 20'000) << line << testing::PrintToString(options);
      }
    }
  }
}

// R11: that holds for `attach`, which first prints the last lines.
TEST_F(PastTheLimit, AttachSaysTheGap) {
  const std::string go = flock_.file("go");
  const std::string id =
      flock_.run("for i in 1 2 3 4 5 6 7 8; do printf '%0999d\\n' $i; done; : > " +
                     flock_.file("printed") + "; " + until_file(go),
                 {"--output-limit", "4K"});
  flock_.wait_for_file("printed");
  auto attached = flock_.start({"attach", id});
  attached->wait_for("08\n");
  flock_.touch("go");
  const Output output = attached->finish();
  EXPECT_NE(output.err.find(" bytes not kept"), std::string::npos) << output.err;
  std::istringstream lines(output.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 999U);
}

// R11: programs read the gap as data: in JSON lines, in server-sent events, in a header, and as a
// number in the record.
TEST_F(PastTheLimit, ProgramsReadTheGap) {
  const std::string id = limited();
  const std::uint64_t all = numbers(kLines).size();
  std::uint64_t kept = 0;
  std::uint64_t gap = 0;
  std::uint64_t next = 0;
  std::istringstream lines(flock_.ok({"logs", "--json", id}));
  for (std::string line; std::getline(lines, line);) {
    const object chunk = boost::json::parse(line).as_object();
    if (chunk.contains("gap")) {
      const object& bounds = chunk.at("gap").as_object();
      EXPECT_EQ(bounds.at("from").to_number<std::uint64_t>(), next);
      next = bounds.at("to").to_number<std::uint64_t>();
      gap += next - bounds.at("from").to_number<std::uint64_t>();
      continue;
    }
    EXPECT_EQ(chunk.at("offset").to_number<std::uint64_t>(), next);
    kept += chunk.at("text").as_string().size();
    next += chunk.at("text").as_string().size();
  }
  EXPECT_EQ(next, all);
  EXPECT_EQ(kept + gap, all);
  EXPECT_LE(kept, 16'384U);
  EXPECT_EQ(
      flock_.show(id).at("receipt").as_object().at("dropped_bytes").to_number<std::uint64_t>(),
      gap);
  const std::string bounds = "from=8192, to=" + std::to_string(8192 + gap);
  const auto get = [&](const std::string& path) {
    return flock_.http("GET /api/runs/" + id + path +
                       " HTTP/1.1\r\nHost: drover\r\nConnection: close\r\n\r\n");
  };
  const std::string raw = get("/logs");
  EXPECT_NE(raw.find("Drover-Gap: " + bounds + "\r\n"), std::string::npos) << raw.substr(0, 400);
  EXPECT_NE(raw.find("Drover-Next-Offset: " + std::to_string(8192 + gap) + "\r\n"),
            std::string::npos);
  EXPECT_TRUE(numbers(kLines).starts_with(raw.substr(raw.find("\r\n\r\n") + 4)));
  const std::string events = get("/events?follow=true&output=true");
  EXPECT_NE(events.find("event: run.gap\ndata: {\"run_id\":\"" + id + "\",\"gap\":{\"from\":8192,"),
            std::string::npos);
}

}  // namespace
}  // namespace drover::tests
