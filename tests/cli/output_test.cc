// Output beyond its limit, through the real programs: a foreground run passes on every byte, and
// every other reader learns which bytes are not kept.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstdio>
#include <sstream>

#include "base/text.h"
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

// Lines of one width: no part of one is a line of this output.
std::string lines_of_width(const std::string& end, int last) {
  std::string out;
  for (int i = 1; i <= last; ++i) {
    const std::string number = std::to_string(i);
    out += "<" + std::string(6 - number.size(), '0') + number + ">" + end;
  }
  return out;
}

// Without the date and the time in front of each line.
std::string without_times(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(std::ranges::count(line, ' '), 2) << line;
    out += line.substr(line.rfind(' ') + 1) + "\n";
  }
  return out;
}

// The numbers in a text for people: "1,204 bytes" contains 1204.
std::vector<std::uint64_t> numbers_in(const std::string& text) {
  std::vector<std::uint64_t> out;
  bool within = false;
  for (const char c : text) {
    if (c == ',' && within) continue;
    const bool digit = c >= '0' && c <= '9';
    if (digit && !within) out.push_back(0);
    if (digit) out.back() = out.back() * 10 + static_cast<std::uint64_t>(c - '0');
    within = digit;
  }
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
  // The offsets of the first byte that is not kept, and of the next one that is.
  std::pair<std::uint64_t, std::uint64_t> gap_of(const std::string& id) {
    const std::string answer = flock_.http(
        "GET /api/runs/" + id + "/logs HTTP/1.1\r\nHost: drover\r\nConnection: close\r\n\r\n");
    std::uint64_t from = 0, to = 0;
    const size_t header = answer.find("Drover-Gap: ");
    EXPECT_NE(header, std::string::npos) << answer.substr(0, 400);
    if (header == std::string::npos) return {1, 1};
    EXPECT_EQ(std::sscanf(answer.c_str() + header, "Drover-Gap: from=%lu, to=%lu", &from, &to), 2);
    return {from, to};
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

// R11: output that cannot be written does not look like success: not at the end of the run, and not
// before it, when the run is canceled. The same for help.
TEST_F(PastTheLimit, AFullDiskIsReported) {
  flock_.ok({"run", "--", "true"});
  for (const std::string command : {"run -- echo hi", "run -- yes", "help run", "--help"}) {
    Started started({"/bin/bash", "-c", "drover " + command + " > /dev/full"}, environment(), "");
    const Output output = started.finish();
    EXPECT_EQ(output.code, 125) << command;
    EXPECT_TRUE(output.err.contains("No space left on device")) << command << ": " << output.err;
  }
  Started started({"/bin/bash", "-c", "drover run --shell -- 'echo hi >&2' 2> /dev/full"},
                  environment(), "");
  EXPECT_EQ(started.finish().code, 125);
  EXPECT_EQ(text_of(flock_.show("@last"), "state"), "completed");
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

// R11: every byte arrives also if the daemon is stopped meanwhile: the command waits for the
// client.
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

// R11: every byte of both streams arrives, each larger than the reserve.
TEST_F(PastTheLimit, BothStreamsPassOnEveryByte) {
  constexpr int kMany = 9'000'000;
  const std::string count = std::to_string(kMany);
  const Output output = flock_.drover({"run", "--output-limit", "16K", "--shell", "--",
                                       "seq 1 " + count + " & seq 1 " + count + " >&2; wait"});
  EXPECT_EQ(output.code, 0);
  EXPECT_TRUE(output.out == numbers(kMany)) << output.out.size();
  EXPECT_TRUE(output.err == numbers(kMany)) << output.err.size();
}

// R11: every byte of a terminal arrives in a pipe.
TEST_F(PastTheLimit, ATerminalPassesOnEveryByte) {
  const Output output = flock_.drover(
      {"run", "--pty", "--output-limit", "16K", "--", "seq", "-f", "<%06g>", "400000"});
  EXPECT_EQ(output.code, 0);
  EXPECT_TRUE(output.out == lines_of_width("\r\n", 400'000)) << output.out.size();
}

// R11, R17: every byte of both attempts of a retried run arrives, one attempt after the other.
TEST_F(PastTheLimit, EveryAttemptPassesOnEveryByte) {
  const Output output =
      flock_.drover({"run", "--retry", "1", "--backoff", "1ms", "--output-limit", "16K", "--shell",
                     "--", "seq 1 400000; exit $((7 * (2 - DROVER_ATTEMPT)))"});
  EXPECT_EQ(output.code, 0) << output.err;
  EXPECT_TRUE(output.out == numbers(400'000) + numbers(400'000)) << output.out.size();
}

// R11: a token that may not cancel reads every byte of what it started itself, of every attempt and
// from every daemon.
TEST_F(PastTheLimit, ATokenPassesOnEveryByteOfItsOwnRun) {
  flock_.environment["DROVER_TOKEN"] =
      flock_.ok({"token", "create", "--can", "read,run", "--ttl", "1h"});
  const std::string go = flock_.file("go");
  auto attached = flock_.start(
      {"run", "--name", "own", "--retry", "1", "--backoff", "1ms", "--output-limit", "16K",
       "--shell", "--",
       "seq 1 400000; " + until_file(go) + "seq 1 400000; exit $((7 * (2 - DROVER_ATTEMPT)))"});
  attached->wait_for("\n399999\n");
  flock_.kill_daemon();
  flock_.touch("go");
  const Output output = attached->finish();
  EXPECT_EQ(output.code, 0) << output.err;
  const std::string twice = numbers(400'000) + numbers(400'000);
  EXPECT_TRUE(output.out == twice + twice) << output.out.size();
}

// H6: a token that may start runs and not read them is refused before the run is recorded.
TEST_F(PastTheLimit, ATokenThatCannotReadStartsNothingInTheForeground) {
  const std::string token = flock_.ok({"token", "create", "--can", "run", "--ttl", "1h"});
  flock_.environment["DROVER_TOKEN"] = token;
  const Output refused = flock_.drover({"run", "--", "true"});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("not read their output; start the run with `--detach`"),
            std::string::npos)
      << refused.err;
  flock_.ok({"run", "-d", "--", "true"});
  flock_.environment.erase("DROVER_TOKEN");
  EXPECT_EQ(flock_.json({"ps", "-a"}).at("runs").as_array().size(), 1U);
}

// R11: there is a reserve for every limit, also if a segment is larger than it.
TEST_F(PastTheLimit, TheLastBytesFitALargeLimit) {
  flock_.ok({"run", "--", "true"});
  const std::string size = std::to_string((300 << 20) + 50'000);
  EXPECT_EQ(shell("drover run --output-limit 300M -- head -c " + size + " /dev/zero | wc -c"),
            size + "\n");
}

// R11: a client that is killed while its run is queued is not a reader: the run does not wait for
// it, and keeps no more than any other.
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
  // The daemon removes it at once if the keeper had no time to learn of it.
  while (flock_.ok({"logs", "--raw", "second"}).size() > (16 << 10)) ::sched_yield();
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
  // The daemon removes the reserve at once if the keeper had no time to learn of it.
  size_t kept = 0;
  while ((kept = flock_.ok({"logs", "--raw", "@last"}).size()) > (256 << 10)) ::sched_yield();
  EXPECT_GE(kept, 192U << 10);  // The head, and at least one segment of the tail.
}

// R11: `logs` prints only lines that the command has printed, and says on stderr exactly how many
// bytes between them are not kept, as the receipt does, and how many are kept but not printed,
// because the gap has cut their line.
TEST_F(PastTheLimit, LogsReportTheGap) {
  const std::string id = limited();
  const auto dropped =
      flock_.show(id).at("receipt").as_object().at("dropped_bytes").to_number<std::uint64_t>();
  for (const std::vector<std::string>& words : {std::vector<std::string>{"logs", id},
                                                {"logs", "-t", id},
                                                {"logs", "-f", id},
                                                {"logs", "-f", "-t", id},
                                                {"logs", "-f", "--plain", id}}) {
    SCOPED_TRACE(testing::PrintToString(words));
    Output logs = flock_.drover(words);
    if (std::ranges::count(words, "-t") > 0) logs.out = without_times(logs.out);
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
    const std::vector<std::uint64_t> said = numbers_in(logs.err);
    ASSERT_EQ(said.size(), 2U) << logs.err;
    EXPECT_NE(logs.err.find(" bytes not kept; "), std::string::npos) << logs.err;
    EXPECT_EQ(said[0], dropped);
    EXPECT_EQ(logs.out.size() + said[0] + said[1], all.size()) << logs.err;
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

// The kept bytes on both sides of a gap.
struct KeptOutput {
  std::string before, after;

  // Everything: the line that the gap has cut is ended.
  std::string all() const { return before + (before.ends_with('\n') ? "" : "\n") + after; }
  // Only the lines that the gap has not cut.
  std::string whole_lines() const {
    return before.substr(0, before.rfind('\n') + 1) + after.substr(after.find('\n') + 1);
  }
};

// R11: no command that prints output joins head and tail, or leaves out more than the lines that
// the gap has cut: what is printed is exactly what was kept outside the gap that the API names.
TEST_F(PastTheLimit, HeadAndTailAreNeverJoined) {
  const std::string script = "seq -f '<%06g>' 1 20000";
  const std::string plain = flock_.run(script, {"--output-limit", "4K"});
  const std::string terminal = flock_.run(script, {"--pty", "--output-limit", "4K"});
  for (const std::string& run : {plain, terminal}) {
    EXPECT_EQ(text_of(flock_.ended(run), "state"), "completed");
    const auto [from, to] = gap_of(run);
    const std::string printed = lines_of_width(run == terminal ? "\r\n" : "\n", 20'000);
    ASSERT_NE(printed[from - 1], '\n') << "the gap must cut a line";
    ASSERT_NE(printed[to - 1], '\n') << "the gap must cut a line";
    const KeptOutput kept{printed.substr(0, from), printed.substr(to)};
    for (const std::vector<std::string>& options : {std::vector<std::string>{},
                                                    {"-t"},
                                                    {"-f"},
                                                    {"-f", "-t"},
                                                    {"-f", "--plain"},
                                                    {"--plain"},
                                                    {"--raw"},
                                                    {"-f", "--raw"},
                                                    {"--plain", "--raw"},
                                                    {"--raw", "-t"}}) {
      SCOPED_TRACE(run + testing::PrintToString(options));
      const auto has = [&](const char* option) { return std::ranges::count(options, option) > 0; };
      std::vector<std::string> words = {"logs", run};
      words.insert(words.end(), options.begin(), options.end());
      Output logs = flock_.drover(words);
      EXPECT_NE(logs.err.find("… " + grouped(to - from) + " bytes not kept"), std::string::npos)
          << logs.err;
      std::string expected = has("--raw") ? kept.all() : kept.whole_lines();
      // Into a pipe, the output of a terminal is plain text.
      if (has("--plain") || !has("--raw")) std::erase(expected, '\r');
      if (has("-t")) logs.out = without_times(logs.out);
      EXPECT_TRUE(logs.out == expected) << logs.out.size() << " and not " << expected.size();
    }
  }
}

// R11: `--raw` prints the bytes that are kept, and one newline where a gap has cut a line; the gap
// is said on stderr.
TEST_F(PastTheLimit, RawEndsTheLineBeforeAGap) {
  const std::string id = limited();
  const std::string all = numbers(kLines);
  const auto dropped =
      flock_.show(id).at("receipt").as_object().at("dropped_bytes").to_number<std::uint64_t>();
  ASSERT_NE(all[8191], '\n');
  const std::string kept = all.substr(0, 8192) + "\n" + all.substr(8192 + dropped);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"logs", "--raw", id}, {"logs", "-f", "--raw", id}}) {
    const Output logs = flock_.drover(words);
    EXPECT_TRUE(logs.out == kept) << logs.out.size() << " and not " << kept.size();
    EXPECT_EQ(numbers_in(logs.err), std::vector<std::uint64_t>{dropped}) << logs.err;
  }
}

// R11: `attach`, which first prints the last lines, says the size of a gap, too.
TEST_F(PastTheLimit, AttachSaysTheGap) {
  const std::string go = flock_.file("go");
  const std::string id =
      flock_.run("for i in 1 2 3 4 5 6 7 8; do printf '%0999d\\n' $i; done; : > " +
                     flock_.file("printed") + "; " + until_file(go),
                 {"--output-limit", "4K"});
  flock_.wait_for_file("printed");
  // The last line may still be in the pipe.
  while (flock_.ok({"logs", "-n", "1", id}).find("08") == std::string::npos) {
  }
  auto attached = flock_.start({"attach", id});
  attached->wait_for("08\n");
  flock_.touch("go");
  const Output output = attached->finish();
  const auto dropped =
      flock_.ended(id).at("receipt").as_object().at("dropped_bytes").to_number<std::uint64_t>();
  EXPECT_GT(dropped, 0U);
  EXPECT_NE(output.err.find("… " + grouped(dropped) + " bytes not kept"), std::string::npos)
      << dropped << output.err;
  std::istringstream lines(output.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 999U);
}

// R11: the answer names the bytes that a screen lacks, and the screen shows its two sides on lines
// of their own.
TEST_F(PastTheLimit, ScreensReportTheGap) {
  const std::string body =
      R"({"command":["sh","-c","for i in $(seq 20); do printf '%0300d\\n' $i; done"],)"
      R"("pty":{"rows":100,"cols":900},"limits":{"output":"4K"}})";
  flock_.daemon();
  const std::string made = flock_.http(
      "POST /api/runs HTTP/1.1\r\nHost: drover\r\nConnection: close\r\n"
      "Content-Type: application/json\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body);
  ASSERT_NE(made.find("202 Accepted"), std::string::npos) << made;
  const object record = flock_.ended("@last");
  EXPECT_EQ(text_of(record, "state"), "completed");
  const auto dropped =
      record.at("receipt").as_object().at("dropped_bytes").to_number<std::uint64_t>();
  const std::string screen = flock_.http("GET /api/runs/" + text_of(record, "run_id") +
                                         "/screen HTTP/1.1\r\nHost: drover\r\n"
                                         "Connection: close\r\n\r\n");
  EXPECT_NE(screen.find("Drover-Gap: from=2048, to=" + std::to_string(2048 + dropped) + "\r\n"),
            std::string::npos)
      << screen.substr(0, 400);
  std::istringstream lines(screen.substr(screen.find("\r\n\r\n") + 4));
  int whole = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 300U) << line;
    whole += line.size() == 300 ? 1 : 0;
  }
  EXPECT_GT(whole, 8);  // Lines of both sides.
}

// R11: the answer to a range names the gap that it ends before or begins after.
TEST_F(PastTheLimit, ARangeNamesTheGap) {
  const std::string id = limited();
  const auto dropped =
      flock_.show(id).at("receipt").as_object().at("dropped_bytes").to_number<std::uint64_t>();
  const std::string end = std::to_string(8192 + dropped);
  const auto get = [&](const std::string& range) {
    return flock_.http("GET /api/runs/" + id + "/logs HTTP/1.1\r\nHost: drover\r\nRange: bytes=" +
                       range + "\r\nConnection: close\r\n\r\n");
  };
  const std::string before = get("8000-");
  EXPECT_NE(before.find("Content-Range: bytes 8000-8191/"), std::string::npos) << before;
  EXPECT_NE(before.find("Drover-Gap: from=8192, to=" + end + "\r\n"), std::string::npos) << before;
  EXPECT_NE(before.find("Drover-Next-Offset: " + end + "\r\n"), std::string::npos) << before;
  const std::string after = get("9000-" + std::to_string(8192 + dropped + 99));
  EXPECT_NE(after.find("Content-Range: bytes " + end + "-"), std::string::npos) << after;
  EXPECT_NE(after.find("Drover-Gap: from=9000, to=" + end + "\r\n"), std::string::npos) << after;
  const std::string whole = get("0-99");
  EXPECT_NE(whole.find("Content-Range: bytes 0-99/"), std::string::npos) << whole;
  EXPECT_EQ(whole.find("Drover-Gap"), std::string::npos) << whole;
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
  EXPECT_NE(events.find("event: run.gap\ndata: {\"run_id\":\"" + id +
                        "\",\"gap\":{\"from\":8192,\"to\":" + std::to_string(8192 + gap) + "}"),
            std::string::npos)
      << events.substr(events.find("run.gap"), 300);
}

}  // namespace
}  // namespace drover::tests
