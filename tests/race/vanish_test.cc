// A client disconnects: at every byte of its request, at every byte of the answer, in the middle of
// a stream, while it waits. Its request is carried out completely or not at all; other clients are
// not affected.
#include <sys/socket.h>

#include "tests/race/race.h"

namespace drover::race {
namespace {

class Vanish : public Race {
 protected:
  // Reads that many bytes of an answer, if it has so many.
  static bool read_bytes(const Client& client, size_t bytes) {
    std::string buffer(bytes, '\0');
    size_t got = 0;
    while (got < bytes) {
      const ssize_t n = ::recv(client.fd(), buffer.data() + got, bytes - got, 0);
      if (n <= 0) return false;
      got += static_cast<size_t>(n);
    }
    return true;
  }
};

// A submission that is cut off creates no run; a complete one creates one, even if nobody reads the
// answer. Repeated with its key, both give one run.
TEST_F(Vanish, AtEveryByteOfASubmissionCreatesOneRunOrNone) {
  const auto request = [&](int key) {
    return request_of("POST", "/api/runs", submission("brief", 0),
                      "Idempotency-Key: key-" + std::to_string(100'000 + key) + "\r\n");
  };
  const int whole = static_cast<int>(request(0).size());
  // Beyond the request's end: how many bytes of the answer are read.
  const int answer = 300;
  for (int cut = 0; cut <= whole + answer; ++cut) {
    const std::string bytes = request(cut);
    Client client = connect();
    client.send(std::string_view(bytes).substr(0, static_cast<size_t>(std::min(cut, whole))));
    if (cut > whole) ASSERT_TRUE(read_bytes(client, static_cast<size_t>(cut - whole)));
  }
  Client client = connect();
  int replayed = 0;
  for (int cut = 0; cut <= whole + answer; ++cut) {
    client.send(request(cut));
    const HttpAnswer told = client.take();
    ASSERT_EQ(told.status, 202) << told.head;
    const bool before = told.has_header("Idempotent-Replayed: true");
    if (cut < whole) EXPECT_FALSE(before) << "a run was created from the first " << cut << " bytes";
    if (cut > whole) EXPECT_TRUE(before) << "an acknowledged run is gone";
    replayed += before ? 1 : 0;
    remember(told.text("run_id"));
    EXPECT_EQ(wait(client, told.text("run_id")).number("exit_code"), 7);
  }
  EXPECT_GE(replayed, answer);
  client.close();
  expect_settled();
}

// All other requests, cut off at every byte, with the answer read partly or not at all: the run
// that they name continues unless its cancel was complete, and the daemon frees all connections.
TEST_F(Vanish, AtEveryByteOfAnotherRequestLeaksNothing) {
  Client owner = connect();
  const std::string id =
      submit(owner, "sipping", 100'000'000, R"(,"stdin":"pipe","grace":"1h")").text("run_id");
  flock_.wait_for_state(id, "running");
  const std::string run = "/api/runs/" + id;
  const std::vector<std::string> requests{
      request_of("GET", run),
      request_of("GET", run + "?wait=60s"),  // Waits.
      request_of("GET", run + "/events?follow=true&output=true"),
      request_of("GET", run + "/logs?tail=10"),
      request_of("GET", "/api/events?follow=true&after=0"),
      request_of("GET", "/api/runs?limit=10"),
      request_of("DELETE", run),
      request_of("POST", run + "/signal", R"({"signal":"CONT"})"),
      request_of("POST", run + "/input", "sip", "Content-Type: text/plain\r\n"),
      request_of("PUT", "/api/lanes/vanishing", R"({"limit":3})"),
  };
  for (const std::string& request : requests) {
    for (size_t cut = 0; cut <= request.size(); ++cut) connect().send(request.substr(0, cut));
    for (size_t bytes = 1; bytes < 40 && request != requests[1]; ++bytes) {
      Client client = connect();
      client.send(request);
      EXPECT_TRUE(read_bytes(client, bytes)) << request;
    }
    const HttpAnswer record = owner.ask("GET", run);
    EXPECT_EQ(record.text("state"), "running") << request;
    EXPECT_FALSE(record.flag("cancel_requested"));
  }
  const std::string cancel = request_of("POST", run + "/cancel", R"({"grace":"1h"})");
  for (size_t cut = 0; cut < cancel.size(); ++cut) connect().send(cancel.substr(0, cut));
  EXPECT_FALSE(owner.ask("GET", run).flag("cancel_requested"));
  connect().send(cancel);
  EXPECT_EQ(wait(owner, id).text("state"), "canceled");
  owner.close();
  expect_settled();
}

// Clients that wait for a run or follow it disconnect while it finishes: its exit code is still
// reported to others.
TEST_F(Vanish, WhileTheRunFinishesChangesNothing) {
  each_round([&](int, std::mt19937& random) {
    Client client = connect();
    const int us = between(random, 0, 2'000);
    const std::string id = submit(client, "brief", us).text("run_id");
    std::vector<Client> others;
    for (int i = 0; i < 3; ++i) others.push_back(connect());
    others[0].send(request_of("GET", "/api/runs/" + id + "?wait=60s"));
    others[1].send(request_of("GET", "/api/runs/" + id + "/events?follow=true&output=true"));
    others[2].send(request_of("GET", "/api/events?follow=true"));
    pause_us(between(random, 0, us + 3'000));
    others.clear();
    EXPECT_EQ(wait(client, id).number("exit_code"), 7);
  });
  expect_settled();
}

}  // namespace
}  // namespace drover::race
