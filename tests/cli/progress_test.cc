// Progress through the real programs: what a run says about itself, how its output grows, and where
// both are shown.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/clock.h"
#include "tests/cli/access_fixture.h"
#include "tests/cli/terminal_fixture.h"

namespace drover::tests {
namespace {

using boost::json::object;

class Progress : public Access {
 protected:
  Progress() { flock_.environment["PATH"] = flock_.programs + ":/usr/bin:/bin"; }

  std::string wait(const std::string& name) { return until_file(flock_.file(name)); }

  std::vector<object> events_of(const std::string& id) {
    const Reply reply = ask({.target = "/api/runs/" + id + "/events?limit=1000"});
    std::vector<object> out;
    for (const auto& event : reply.json().at("events").as_array()) {
      out.push_back(event.as_object());
    }
    return out;
  }
  std::vector<object> progress_of(const std::string& id) {
    std::vector<object> out;
    for (const object& event : events_of(id)) {
      if (text_of(event, "type") == "run.progress") out.push_back(event.at("data").as_object());
    }
    return out;
  }
  Reply say(const std::string& id, const std::string& body, const std::string& token = "") {
    return ask({.method = "POST",
                .target = "/api/runs/" + id + "/progress",
                .token = token,
                .body = body});
  }
};

// R12: a script reports its progress; the last report is in the record and comes before the end,
// even if it was made a moment before it.
TEST_F(Progress, AScriptReportsItsProgress) {
  const std::string id = flock_.run("drover progress 10 first step && " + wait("go") +
                                    "drover progress --done 3 --total 4 'last step'");
  flock_.wait_for_state_event(id, "run.progress");
  object progress = flock_.show(id).at("progress").as_object();
  EXPECT_EQ(progress.at("percent"), 10);
  EXPECT_EQ(text_of(progress, "text"), "first step");
  EXPECT_TRUE(progress.at("output").is_null());
  EXPECT_NE(flock_.ok({"ps"}).find("10% first step"), std::string::npos);
  EXPECT_NE(flock_.ok({"show", id}).find("10% · first step ("), std::string::npos);
  TerminalUser top(flock_, {"top"}, 24, 200);
  top.wait_for("10% first step");
  EXPECT_NE(flock_.ok({"why", id}).find("it reported 10% · first step ("), std::string::npos);
  flock_.touch("go");
  EXPECT_EQ(text_of(flock_.ended(id), "state"), "completed");
  progress = flock_.show(id).at("progress").as_object();
  EXPECT_EQ(progress.at("percent"), 75);
  EXPECT_EQ(progress.at("done"), 3);
  EXPECT_EQ(progress.at("total"), 4);
  EXPECT_EQ(text_of(progress, "text"), "last step");
  const auto events = events_of(id);
  ASSERT_GE(events.size(), 6u);
  EXPECT_EQ(text_of(events[events.size() - 2], "type"), "run.progress");
  EXPECT_EQ(text_of(events.back(), "type"), "run.completed");
  flock_.expect_verified();
}

// R12: the example of docs/tasks/progress.md, in any language: one request on the socket.
TEST_F(Progress, CurlReportsItAsTheDocumentSays) {
  const std::string text = *read_file(DROVER_DOCS "/tasks/progress.md", 1 << 20);
  const size_t from = text.find("```sh\nS=") + 6;
  const std::string example = text.substr(from, text.find("```", from) - from);
  ASSERT_NE(example.find("curl"), std::string::npos);
  const std::string id = flock_.run("set -e\n" + example);
  EXPECT_EQ(text_of(flock_.ended(id), "state"), "completed") << flock_.drover({"logs", id}).out;
  const object progress = flock_.show(id).at("progress").as_object();
  EXPECT_EQ(progress.at("percent"), 40);
  EXPECT_EQ(text_of(progress, "text"), "linking");
}

// R12: a run speaks for itself alone, and only while it is running.
TEST_F(Progress, OnlyTheRunItselfMayReport) {
  std::string its_token;
  const std::string id = run_with_token(its_token);
  const std::string other = flock_.run(wait("go"));
  const std::string child = text_of(ask({.method = "POST",
                                         .target = "/api/runs",
                                         .token = its_token,
                                         .body = R"({"shell":")" + wait("go") + R"("})"})
                                        .json(),
                                    "run_id");
  ASSERT_NE(child, "");
  flock_.wait_for_state(other, "running");
  flock_.wait_for_state(child, "running");
  EXPECT_EQ(say(id, R"({"percent":1})", its_token).status, 200);
  EXPECT_EQ(say(other, R"({"percent":1})", its_token).status, 404);
  const Reply of_child = say(child, R"({"percent":1})", its_token);
  EXPECT_EQ(of_child.status, 403);
  EXPECT_EQ(of_child.error(), "forbidden");
  EXPECT_EQ(say(other, R"({"percent":1})", token("read,run,cancel")).status, 403);
  EXPECT_EQ(say(other, R"({"percent":1})").status, 200);  // The owner.
  for (const char* bad :
       {"{}", R"({"percent":101})", R"({"percent":"x"})", R"({"done":3,"total":2})",
        R"({"total":2})", R"({"text":""})", R"({"percent":1,"nonsense":2})"}) {
    EXPECT_EQ(say(other, bad).status, 400) << bad;
  }
  EXPECT_EQ(say(other, R"({"text":")" + std::string(501, 'x') + R"("})").status, 400);
  flock_.touch("go");
  EXPECT_EQ(text_of(flock_.ended(other), "state"), "completed");
  const Reply late = say(other, R"({"percent":2})");
  EXPECT_EQ(late.status, 409);
  EXPECT_EQ(late.error(), "not_running");
  EXPECT_EQ(flock_.show(other).at("progress").at("percent"), 1);
  EXPECT_EQ(flock_.drover({"progress", "5"}).code, 2);  // Not inside a run.
}

// R12: more than one report a second is merged, and the last one is not lost.
TEST_F(Progress, ManyReportsAreMerged) {
  const std::string id =
      flock_.run("for i in $(seq 1 100); do drover progress $i \"step $i\" || exit 1; done");
  const object record = flock_.ended(id);
  EXPECT_EQ(text_of(record, "state"), "completed");
  const auto all = progress_of(id);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.back().at("percent"), 100);
  EXPECT_EQ(record.at("progress").at("percent"), 100);
  // One at once, then one a second, and the last one with the end.
  const std::int64_t recorded = events_of(id).back().at("run_seq").as_int64() - 4;
  EXPECT_LE(recorded, record.at("duration_ms").as_int64() / 1000 + 2);
  flock_.expect_verified();
}

// R12: progress of the output: soon after the first byte, then every ten seconds while it grows. A
// run that ends within a second has none.
TEST_F(Progress, OutputThatGrowsIsReported) {
  const std::string quick = flock_.run("echo one");
  EXPECT_EQ(flock_.ended(quick).contains("progress"), false);
  EXPECT_TRUE(progress_of(quick).empty());

  const std::string id =
      flock_.run("printf 'one\\ntwo\\n'; " + wait("go") + "printf three; " + wait("end"));
  flock_.wait_for_state_event(id, "run.progress");
  auto all = progress_of(id);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(text_of(all[0], "by"), "output");
  EXPECT_EQ(all[0].at("bytes"), 8);
  EXPECT_EQ(all[0].at("lines"), 2);
  EXPECT_NE(flock_.ok({"show", id}).find("8 B · 2 lines ("), std::string::npos);
  auto stream = flock_.start({"events", "-f", "--json"});
  flock_.touch("go");
  stream->wait_for(R"("bytes":13,"lines":2)");
  stream->signal(SIGINT);
  stream->finish();
  const object output = flock_.show(id).at("progress").at("output").as_object();
  EXPECT_EQ(output.at("bytes"), 13);
  std::vector<WallMs> times;
  for (const object& event : events_of(id)) {
    if (text_of(event, "type") != "run.progress") continue;
    times.push_back(parse_time(text_of(event, "time"), "time").value_or(0));
  }
  ASSERT_EQ(times.size(), 2u);
  EXPECT_GE(times[1] - times[0], 9'000) << "ten seconds, but for what an event takes";
  flock_.touch("end");
  EXPECT_EQ(text_of(flock_.ended(id), "state"), "completed");
  flock_.expect_verified();
}

// R12, H10: a daemon that was started later looks at the output itself: bytes without lines.
TEST_F(Progress, AnAdoptedRunIsFollowed) {
  const std::string id = flock_.run("echo one; " + wait("go") + "echo two; " + wait("end"));
  flock_.wait_for_state_event(id, "run.progress");
  flock_.kill_daemon();
  flock_.touch("go");
  auto stream = flock_.start({"events", "-f", "--json", "--after", "0"});
  stream->wait_for(R"("bytes":8,"lines":null)");
  stream->signal(SIGINT);
  stream->finish();
  flock_.touch("end");
  EXPECT_EQ(text_of(flock_.ended(id), "state"), "completed");
}

// R12, R15: the text of a report is redacted like all others, and controls no terminal.
TEST_F(Progress, TextsAreRedactedAndClean) {
  const std::string id = flock_.run(
      "drover progress \"$(printf 'sent \\033[2Jopensesame to https://u:pw1234@host')\"; " +
          wait("go"),
      {"--env", "PLACE=opensesame"});
  flock_.wait_for_state_event(id, "run.progress");
  const std::string text = text_of(flock_.show(id).at("progress").as_object(), "text");
  EXPECT_EQ(text.find("opensesame"), std::string::npos) << text;
  EXPECT_EQ(text.find("pw1234"), std::string::npos) << text;
  for (const char* command : {"show", "why"}) {
    const std::string page = flock_.ok({command, id});
    EXPECT_NE(page.find("sent ?[2J"), std::string::npos) << page;
    EXPECT_EQ(page.find('\033'), std::string::npos) << page;
  }
  flock_.touch("go");
  flock_.ended(id);
}

// R12: a foreground run shows it on a terminal, and never in a pipe.
TEST_F(Progress, AForegroundRunShowsItOnATerminal) {
  const std::string script = "drover progress 42 linking; " + wait("go");
  TerminalUser user(flock_, {"run", "--shell", "--", script});
  user.wait_for("42% · linking");
  flock_.touch("go");
  EXPECT_EQ(user.finish(), 0);
  const Output piped = flock_.drover({"run", "--shell", "--", script + "sleep 1.2"});
  EXPECT_EQ(piped.code, 0);
  EXPECT_EQ(piped.out + piped.err, "");
}

}  // namespace
}  // namespace drover::tests
