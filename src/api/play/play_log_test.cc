// The execution log through the API (P9): followed during a play, left, and resumed.
#include <gtest/gtest.h>

#include "api/door_fixture.h"
#include "api/play/execution_log.h"
#include "play/kinds.h"
#include "play/known_projects.h"

namespace drover::api {
namespace {

using play::Happening;
using play::Stage;

class PlayLog : public Door {
 protected:
  PlayLog() { record(play::add_project({.id = "game", .root = "/game", .added_at = 1})); }

  store::Written record(store::Write write) {
    return on_loop([&] { return dispatcher_.record(std::move(write)).value(); });
  }
  // A play without a script: the test records its changes.
  RunId play() {
    run::Record play;
    play.id = on_loop([&] { return ids_.next(); });
    play.kind = play::kPlay;
    play.scope = play::scope_of("game");
    play.name = "game";
    play.phase = play::text_of({.project = "game"});
    play.queued_at = clock_.wall_ms();
    return record(run::Submitted{play, "", ""}).record.id;
  }
  std::string child(const RunId& play, Stage stage) {
    const std::string id = submit();
    start(id);
    record(run::Fact(play::advanced(play, stage, *RunId::parse(id))));
    return id;
  }
  void tell(const RunId& play, Happening happening) {
    play::PlayChange change{.happening = happening, .message = "so it went"};
    if (happening == Happening::failed) {
      change.rest = {.happening = run::Happening::failed, .reason = run::Reason::exit_nonzero};
    }
    record(run::Fact(play::changed(play, change)));
  }
  // Prepares the play and starts its runtime.
  std::string perform(const RunId& play) {
    tell(play, Happening::prepared);
    std::string runtime = child(play, Stage::runtime);
    tell(play, Happening::confirmed);
    return runtime;
  }
  static std::string last_id(const RunId& play, std::uint64_t seq) {
    return "Last-Event-ID: " + play.str() + "." + std::to_string(seq) + "\r\n";
  }

  IdMaker ids_{clock_};
};

constexpr const char* kFollow = "/api/projects/game/log?follow=true";

// P9: the stream continues until the session is at rest, not only until the runtime has finished:
// the session's result is the last entry, then the change is sent, then the stream ends.
TEST_F(PlayLog, EndsWithTheSessionsResult) {
  const RunId id = play();
  const std::string runtime = perform(id);
  Client subscriber = client();
  subscriber.ask("GET", kFollow);
  ASSERT_NE(subscriber.read_until(R"("state":"running")"), "");
  print(runtime, Stream::out, "last words\n");
  ASSERT_NE(subscriber.read_until("last words"), "");
  finish(runtime, 3);
  record(run::CancelRequested{.id = id, .of_any_kind = true});  // Wakes the subscriber.
  // A subscriber that reconnects now, having read every entry, does not get the end either.
  Client late = client();
  late.ask("GET", kFollow, "", last_id(id, seq_of(4, 11)));
  EXPECT_EQ(late.answer(true).status, 200U);
  tell(id, Happening::failed);
  for (Client* client : {&subscriber, &late}) {
    EXPECT_NE(client->read_until(R"("source":"play")"), "");
    EXPECT_NE(client->read_until(R"("state":"runtime_failed")"), "");
    EXPECT_NE(client->read_until("\r\n0\r\n\r\n"), "");
  }
  const HttpAnswer seen = ask("GET", kFollow, "", last_id(id, seq_of(5, 1)));
  EXPECT_EQ(seen.status, 204U);
  EXPECT_EQ(seen.headers.at("drover-run-id"), id.str());
}

// P9: a position in one play's log is not valid in another's. A subscriber that reconnects with the
// position of an earlier play gets the current play from its beginning.
TEST_F(PlayLog, APositionBelongsToOnePlay) {
  const RunId first = play();
  print(child(first, Stage::build), Stream::out, "one\ntwo\nthree\n");
  record(run::Fact(play::changed(first, {.happening = Happening::preparation_failed,
                                         .rest = {.happening = run::Happening::failed,
                                                  .reason = run::Reason::exit_nonzero}})));
  const RunId second = play();
  const std::string build = child(second, Stage::build);
  print(build, Stream::out, "uno\ndos\n");
  Client subscriber = client();
  subscriber.ask("GET", kFollow, "", last_id(first, seq_of(0, 4)));
  const HttpAnswer head = subscriber.answer(true);
  EXPECT_EQ(head.status, 200U);
  EXPECT_EQ(head.headers.at("drover-run-id"), second.str());
  EXPECT_NE(subscriber.read_until("id: " + second.str() + ".4\n"), "");
  EXPECT_NE(subscriber.read_until("dos"), "");
  // For a finished play the answer would be 204; this one is active.
  Client again = client();
  again.ask("GET", kFollow, "", last_id(first, seq_of(5, 1)));
  EXPECT_EQ(again.answer(true).status, 200U);
  EXPECT_NE(again.read_until("uno"), "");
  const HttpAnswer page = ask("GET", "/api/projects/game/log?after=4&run=" + first.str());
  EXPECT_EQ(page.headers.at("drover-run-id"), first.str());
  EXPECT_EQ(page.body.find("one"), std::string::npos);
  EXPECT_NE(page.body.find("three"), std::string::npos);
  for (const char* bad : {"4", "run_x.4", ".4", "run_", "x"}) {
    expect_error(ask("GET", kFollow, "", "Last-Event-ID: " + std::string(bad) + "\r\n"), 400,
                 "invalid_value", "Last-Event-ID");
  }
}

// P9: the change to running is sent after the output of the steps, although the runtime prints
// without end.
TEST_F(PlayLog, AChangeIsSentBetweenPortions) {
  const RunId id = play();
  const std::string build = child(id, Stage::build);
  std::string flood;
  while (flood.size() < 300'000) flood += "a line of the flood\n";
  print(build, Stream::out, flood + "built\n");
  finish(build);
  const std::string runtime = perform(id);
  print(runtime, Stream::out, flood + "played\n");
  Client subscriber = client();
  subscriber.ask("GET", kFollow);
  const std::string before = subscriber.read_until(R"("state":"running")");
  EXPECT_NE(before.find(R"("text":"built")"), std::string::npos);
  EXPECT_EQ(before.find(R"("text":"played")"), std::string::npos);
  EXPECT_NE(subscriber.read_until(R"("text":"played")"), "");
}

// A page says where to resume and where the log ended, also if there is no log.
TEST_F(PlayLog, APageSaysWhereItEnds) {
  const HttpAnswer none = ask("GET", "/api/projects/game/log");
  EXPECT_EQ(none.headers.at("drover-next-seq"), "0");
  const RunId id = play();
  print(child(id, Stage::build), Stream::out, "one\ntwo\nunfinished");
  const HttpAnswer page = ask("GET", "/api/projects/game/log?limit=1");
  EXPECT_EQ(page.headers.at("drover-next-seq"), "4");
  EXPECT_EQ(page.headers.at("drover-end-seq"), "18");
  EXPECT_EQ(page.headers.at("drover-run-id"), id.str());
}

// R14: slow output is collected at the stream's pace. There is more to read at once only after a
// complete portion, and after a finished run.
TEST_F(PlayLog, HasMoreAfterACompletePortion) {
  const RunId id = play();
  const std::string build = child(id, Stage::build);
  print(build, Stream::out, "a\n");
  on_loop([&] {
    ExecutionLog log(home_, id, 0);
    EXPECT_EQ(log.read(store_).value().size(), 1U);
    EXPECT_FALSE(log.has_more());
    print(build, Stream::out, std::string(200'000, '\n'));
    EXPECT_FALSE(log.read(store_).value().empty());
    EXPECT_TRUE(log.has_more());
    EXPECT_FALSE(log.read(store_).value().empty());
    EXPECT_FALSE(log.has_more());
    EXPECT_TRUE(log.read(store_).value().empty());
  });
  print(build, Stream::out, "the end");
  finish(build);
  on_loop([&] {
    ExecutionLog log(home_, id, seq_of(0, 200'002));
    EXPECT_EQ(log.read(store_).value().at(0).text, "the end");
    EXPECT_TRUE(log.has_more());
    EXPECT_FALSE(log.finished());
  });
}

}  // namespace
}  // namespace drover::api
