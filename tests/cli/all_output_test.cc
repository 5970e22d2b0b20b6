// One stream of the events and the output of all runs, through the real programs.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <map>
#include <sstream>

#include "tests/cli/access_fixture.h"

namespace drover::tests {
namespace {

using boost::json::object;

struct Frame {
  std::string id, type;
  object data;
};

// The complete frames: a client that is killed may have written half of its last one.
std::vector<Frame> frames_in(std::string text) {
  const size_t end = text.rfind("\n\n");
  text.resize(end == std::string::npos ? 0 : end + 2);
  std::vector<Frame> out;
  Frame next;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("id: ")) next.id = line.substr(4);
    if (line.starts_with("event: ")) next.type = line.substr(7);
    if (line.starts_with("data: ")) next.data = boost::json::parse(line.substr(6)).as_object();
    if (line.empty() && !next.type.empty()) out.push_back(std::exchange(next, {}));
  }
  return out;
}

class AllOutput : public Access {
 protected:
  std::unique_ptr<Started> follow(const std::string& query, const std::string& token = "") {
    flock_.daemon();
    std::vector<std::string> argv{"/usr/bin/curl", "-sN", "--unix-socket", flock_.home().socket(),
                                  "http://d/api/events?follow=true&output=true" + query};
    if (!token.empty()) argv.insert(argv.end(), {"-H", "Authorization: Bearer " + token});
    auto started = std::make_unique<Started>(argv, flock_.environment, "");
    started->wait_for("retry: 1000");
    return started;
  }
  static std::vector<Frame> stop(Started& stream) {
    stream.signal(SIGTERM);
    return frames_in(stream.finish().out);
  }
  std::string wait(const std::string& name) { return until_file(flock_.file(name)); }

  // The part of a run's output that the stream has; nothing of it comes after the final event, and
  // no byte is missing or comes twice from `offset` on.
  static std::string output_of(const std::vector<Frame>& frames, const std::string& run,
                               std::uint64_t offset = 0) {
    std::string out;
    bool ended = false;
    for (const Frame& frame : frames) {
      if (text_of(frame.data, "run_id") != run) continue;
      if (frame.type == "run.output") {
        EXPECT_FALSE(ended) << "output after the end of " << run;
        EXPECT_EQ(frame.data.at("offset").to_number<std::uint64_t>(), offset);
        out += text_of(frame.data, "text");
        offset += text_of(frame.data, "text").size();
      } else if (frame.type == "run.gap") {
        EXPECT_EQ(frame.data.at("gap").at("from").to_number<std::uint64_t>(), offset);
        offset = frame.data.at("gap").at("to").to_number<std::uint64_t>();
        out += "…";
      }
      ended = ended || frame.type == "run.completed";
    }
    return out;
  }
};

// R12: the output of every run, each piece with its run, before the run's final event; a client
// that comes back with its last cursor gets the rest, and nothing twice.
TEST_F(AllOutput, FollowsEveryRunAndResumes) {
  const std::string before = flock_.run("echo past; " + wait("go") + "echo late");
  flock_.start({"logs", "-f", before})->wait_for("past");
  auto stream = follow("");
  const std::string a = flock_.run("echo a1; " + wait("go") + "echo a2");
  const std::string b = flock_.run("echo b1 >&2; " + wait("go") + "echo b2");
  stream->wait_for(R"("text":"a1\n")");
  stream->wait_for(R"("text":"b1\n")");
  const auto first = stop(*stream);
  EXPECT_EQ(output_of(first, a), "a1\n");
  EXPECT_EQ(output_of(first, b), "b1\n");

  auto again = follow("&after=" + first.back().id);
  flock_.touch("go");
  for (const std::string& id : {a, b, before}) flock_.ended(id);
  again->wait_for("run.completed");
  again->wait_for("run.completed");
  again->wait_for("run.completed");
  const auto rest = stop(*again);
  EXPECT_EQ(output_of(rest, a, 3), "a2\n");
  EXPECT_EQ(output_of(rest, b, 3), "b2\n");
  EXPECT_NE(output_of(rest, before, 5).find("late\n"), std::string::npos);
  // With a plain cursor: everything from the beginning.
  auto whole = follow("&after=0");
  for (int i = 0; i < 3; ++i) whole->wait_for("run.completed");
  const auto all = stop(*whole);
  EXPECT_EQ(output_of(all, a), "a1\na2\n");
  EXPECT_EQ(output_of(all, before), "past\nlate\n");
}

// R12: a token sees the output of its scope alone, even if its cursor names another run.
TEST_F(AllOutput, ATokenSeesItsScope) {
  const std::string mine = flock_.run("echo mine; " + wait("go"), {"--scope", "team/mine"});
  const std::string other = flock_.run("echo other; " + wait("go"));
  flock_.wait_for_state(mine, "running");
  flock_.wait_for_state(other, "running");
  auto stream = follow("&after=0," + other + ":0", token("read", "team/mine"));
  auto plain = follow("&after=0", token("read", "team/mine"));
  flock_.touch("go");
  for (auto* one : {stream.get(), plain.get()}) {
    one->wait_for("run.completed");
    const auto frames = stop(*one);
    EXPECT_EQ(output_of(frames, mine), "mine\n");
    EXPECT_EQ(output_of(frames, other), "");
  }
}

// R14: a client that does not read slows no run; it learns exactly which bytes are not kept.
TEST_F(AllOutput, ASlowClientGetsGapsWithTheirBounds) {
  flock_.daemon();
  const Fd socket = flock_.connect();
  const std::string request = "GET /api/events?follow=true&output=true HTTP/1.1\r\nHost: d\r\n\r\n";
  ASSERT_EQ(::send(socket.get(), request.data(), request.size(), 0),
            static_cast<ssize_t>(request.size()));
  char buffer[64 * 1024];
  ssize_t n = ::recv(socket.get(), buffer, 1, 0);  // The stream has begun.
  ASSERT_EQ(n, 1);
  const std::string id = flock_.run("seq 1 3000000", {"--output-limit", "16K"});
  const object record = flock_.ended(id);
  EXPECT_EQ(text_of(record, "state"), "completed");
  std::string text(buffer, 1);
  while (text.find("event: run.completed") == std::string::npos || !text.ends_with("\n\n\r\n")) {
    n = ::recv(socket.get(), buffer, sizeof buffer, 0);
    ASSERT_GT(n, 0);
    text.append(buffer, static_cast<size_t>(n));
  }
  // Without the lines of the transfer encoding.
  std::string body;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.ends_with('\r')) body += line + "\n";
  }
  const auto frames = frames_in(body);
  EXPECT_NE(output_of(frames, id).find("…"), std::string::npos);
  // Each piece is what was printed at its offset, and pieces and gaps together are all of it.
  std::string printed;
  for (int i = 1; i <= 3'000'000; ++i) printed += std::to_string(i) + "\n";
  std::uint64_t end = 0;
  for (const Frame& frame : frames) {
    if (frame.type == "run.gap") end = frame.data.at("gap").at("to").to_number<std::uint64_t>();
    if (frame.type != "run.output") continue;
    const std::string piece = text_of(frame.data, "text");
    const auto at = frame.data.at("offset").to_number<std::uint64_t>();
    ASSERT_EQ(printed.compare(at, piece.size(), piece), 0) << at;
    end = at + piece.size();
  }
  EXPECT_EQ(end, printed.size());
  EXPECT_EQ(record.at("stdout_bytes").to_number<std::uint64_t>(), printed.size());
}

}  // namespace
}  // namespace drover::tests
