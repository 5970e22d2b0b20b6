// After its token has become invalid, a caller gets nothing.
#include "api/door_fixture.h"

namespace drover::api {
namespace {

// When its token is revoked, a stream ends at once, before any event or heartbeat. Other streams
// continue.
TEST_F(Door, AStreamEndsWhenItsTokenIsRevoked) {
  const auto token = ask("POST", "/api/tokens", R"({"can":"read"})").json();
  const auto other = ask("POST", "/api/tokens", R"({"can":"read"})").json();
  const auto follow = [&](const boost::json::value& with) {
    Client subscriber = client();
    subscriber.ask("GET", "/api/events?follow=true", "",
                   "Authorization: Bearer " + std::string(with.at("token").as_string()) + "\r\n");
    EXPECT_FALSE(subscriber.read_until("retry: ").empty());
    return subscriber;
  };
  Client theirs = follow(other);
  Client subscriber = follow(token);
  const auto streams = [&] { return server_->services().traffic.streams; };
  EXPECT_EQ(on_loop(streams), 2u);
  ask("DELETE", "/api/tokens/" + std::string(token.at("token_id").as_string()));
  // Within a few iterations of the loop, much sooner than a heartbeat.
  for (int turns = 0; turns < 1'000 && on_loop(streams) == 2; ++turns) {
  }
  EXPECT_EQ(on_loop(streams), 1u);
  const std::string rest = subscriber.read_until("unauthorized");
  EXPECT_NE(rest.find("event: error"), std::string::npos) << rest;
  EXPECT_FALSE(theirs.read_until(submit()).empty());
}

// When its token is revoked, a request that waits for a run does not learn how it finished.
TEST_F(Door, AWaitEndsWithItsToken) {
  const auto token = ask("POST", "/api/tokens", R"({"can":"read"})").json();
  const std::string id = submit();
  Client waiting = client();
  waiting.ask("GET", "/api/runs/" + id + "?wait=60s", "",
              "Authorization: Bearer " + std::string(token.at("token").as_string()) + "\r\n");
  eventually([&] { return server_->connections() == 1; });
  ask("DELETE", "/api/tokens/" + std::string(token.at("token_id").as_string()));
  start(id);
  finish(id);
  expect_error(waiting.answer(), 401, "unauthorized", "Authorization");
}

// When its token is revoked, a submission that waits is refused at once, and its run continues.
TEST_F(Door, AWaitingSubmissionEndsWithItsToken) {
  const auto token = ask("POST", "/api/tokens", R"({"can":"run"})").json();
  Client waiting = client();
  waiting.ask("POST", "/api/runs?wait=300s", R"({"command":["true"],"name":"mine"})",
              "Authorization: Bearer " + std::string(token.at("token").as_string()) + "\r\n");
  eventually([&] { return store_.list({.name = "mine"})->size() == 1; });
  ask("DELETE", "/api/tokens/" + std::string(token.at("token_id").as_string()));
  expect_error(waiting.answer(), 401, "unauthorized", "Authorization");
  EXPECT_EQ(ask("GET", "/api/runs/mine").json().at("state"), "starting");
}

// When a run finishes, its token becomes invalid, and its waits and streams end at once, without
// any event.
TEST_F(Door, WaitsAndStreamsOfARunEndWithIt) {
  const std::string parent = submit();
  const std::string bearer = "Authorization: Bearer " +
                             on_loop([&] { return gate_.of_run(*RunId::parse(parent)); }) + "\r\n";
  Client submitting = client();
  submitting.ask("POST", "/api/runs?wait=300s", R"({"command":["true"],"name":"child"})", bearer);
  eventually([&] { return store_.list({.name = "child"})->size() == 1; });
  const std::string child(ask("GET", "/api/runs/child").json().at("run_id").as_string());
  Client waiting = client();
  waiting.ask("GET", "/api/runs/" + child + "?wait=300s", "", bearer);
  eventually([&] { return server_->connections() == 2; });
  Client subscribers[] = {client(), client()};
  subscribers[0].ask("GET", "/api/events?follow=true", "", bearer);
  subscribers[1].ask("GET", "/api/runs/" + child + "/events?follow=true", "", bearer);
  for (Client& subscriber : subscribers) EXPECT_FALSE(subscriber.read_until("retry: ").empty());
  start(parent);  // A start of the run ends nothing.
  finish(parent);
  expect_error(submitting.answer(), 401, "unauthorized", "Authorization");
  expect_error(waiting.answer(), 401, "unauthorized", "Authorization");
  // Within a few iterations of the loop, much sooner than a heartbeat.
  const auto streams = [&] { return server_->services().traffic.streams; };
  for (int turns = 0; turns < 1'000 && on_loop(streams) != 0; ++turns) {
  }
  EXPECT_EQ(on_loop(streams), 0u);
  for (Client& subscriber : subscribers) {
    EXPECT_NE(subscriber.read_until("unauthorized").find("event: error"), std::string::npos);
  }
}

// A stream ends when its token becomes invalid, before anything more is sent.
TEST_F(Door, AStreamEndsWithItsToken) {
  const HttpAnswer made = ask("POST", "/api/tokens", R"({"can":"read"})");
  ASSERT_EQ(made.status, 201u) << made.body;
  const auto token = made.json();
  const std::string bearer =
      "Authorization: Bearer " + std::string(token.at("token").as_string()) + "\r\n";
  Client subscriber = client();
  subscriber.ask("GET", "/api/events?follow=true", "", bearer);
  EXPECT_FALSE(subscriber.read_until("retry: ").empty());
  EXPECT_FALSE(subscriber.read_until(submit()).empty());
  const HttpAnswer revoked =
      ask("DELETE", "/api/tokens/" + std::string(token.at("token_id").as_string()));
  EXPECT_EQ(revoked.status, 200u);
  const std::string after = submit();
  const std::string rest = subscriber.read_until("unauthorized");
  EXPECT_NE(rest.find("event: error"), std::string::npos) << rest;
  EXPECT_EQ(rest.find(after), std::string::npos);
}

}  // namespace
}  // namespace drover::api
