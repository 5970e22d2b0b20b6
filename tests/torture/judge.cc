#include "tests/torture/judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/journal.h"
#include "process/marks.h"
#include "tests/harness.h"
#include "tests/torture/history.h"

namespace drover::tests {
namespace {

namespace json = boost::json;

struct RunWitness {
  int begun = 0;
  std::vector<int> codes;  // The exit codes that it announced.
};

RunWitness read_witness(const std::string& lines) {
  RunWitness witness;
  std::istringstream in(lines);
  for (std::string word; in >> word;) {
    if (word == "began") ++witness.begun;
    if (int code = 0; word == "ended" && in >> code) witness.codes.push_back(code);
  }
  return witness;
}

std::optional<int> number(const json::object& object, const char* name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<int>();
}

size_t times(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

class Judge {
 public:
  explicit Judge(Herd& herd) : herd_(herd), tortured_(herd.tortured()) {}

  void judge() {
    herd_.wait_for_all();
    tortured_.set_daemon_options({});  // Nothing may be pruned during the checks.
    tortured_.stop_daemon();
    const History history = read_history(tortured_);
    for (const RunRequest& request : herd_.requests()) {
      SCOPED_TRACE(request.key + " " + request.id + "\n" + herd_.lines_of(request));
      judge_wish(request, history);
    }
    judge_keys(history);
    EXPECT_LE(lost_.size(), tortured_.runs_lost())
        << "runs were abandoned whose end was known, among these:"
        << ::testing::PrintToString(lost_) << "; " << tortured_.board.where() << "\n"
        << tortured_.daemon_log();
    const auto crowded = read_file(tortured_.witnesses() + "/crowded", 1 << 20);
    EXPECT_FALSE(crowded) << "a lane was too full for " << *crowded;

    // Once more: leftovers are removed, and nothing else changes.
    tortured_.stop_daemon();
    EXPECT_EQ(read_history(tortured_), history) << "a restart has changed what is on record";
    tortured_.stop_daemon();
    judge_leftovers(history);
  }

 private:
  void judge_wish(const RunRequest& request, const History& history) {
    const auto found = std::ranges::find_if(history, [&](const auto& entry) {
      return request.id.empty() ? entry.second.key == request.key : entry.first == request.id;
    });
    ASSERT_NE(found, history.end()) << "an acknowledged id does not resolve";
    attempts_ = static_cast<int>(std::ranges::count_if(
        history, [&](const auto& entry) { return entry.second.key == request.key; }));
    EXPECT_LE(attempts_, request.retries + 1) << "there are too many attempts";
    bool last_failed = false;
    for (const auto& [id, life] : history) {
      if (life.key != request.key) continue;
      judge_life(request, id, life);
      last_failed = text_of(life.end, "state") == "failed";  // Ordered by id, and so by time.
    }
    if (last_failed && !request.cancel_asked)
      EXPECT_EQ(attempts_, request.retries + 1) << "an attempt is missing";
  }

  void judge_life(const RunRequest& request, const std::string& id, const RunHistory& life) {
    SCOPED_TRACE(id);
    ASSERT_EQ(life.ends.size(), 1U) << "the run must have exactly one final event";
    if (request.removal_asked) EXPECT_TRUE(life.deleted) << "the deletion was acknowledged";
    // Attempts share a scope, in which two are kept.
    const bool may_be_pruned = request.scope == kPruned || request.retries > 1;
    if (life.deleted) EXPECT_TRUE(request.removal_asked || may_be_pruned);
    judge_end(request, life.end);
    if (!life.deleted) {
      judge_record(id, life.end);
      judge_journal(request, id, life.end);
    }
  }

  // Compares the recorded end with what its command did.
  void judge_end(const RunRequest& request, const json::object& end) {
    const RunWitness witness = read_witness(herd_.lines_of(request));
    const std::string state = text_of(end, "state");
    const std::string reason = text_of(end, "reason");
    SCOPED_TRACE(state + " / " + reason);
    EXPECT_LE(witness.begun, attempts_) << "it ran more than once";
    if (attempts_ == 1 && text_of(end, "started_at").empty() && state != "abandoned") {
      EXPECT_TRUE(witness.begun == 0 || was_lost_and_canceled(request, state))
          << "the record says that it never started, but it did";
    }
    if (state == "completed" || reason == "exit_nonzero") {
      EXPECT_GE(witness.begun, 1) << "the witness did not start";
      EXPECT_GE(witness.codes.size(), 1U) << "the witness announced no exit code";
      EXPECT_LE(std::ssize(witness.codes), attempts_);
      for (const int code : witness.codes) EXPECT_EQ(code, request.code);
      EXPECT_EQ(number(end, "exit_code"), request.code);
      EXPECT_EQ(state == "completed", request.code == 0);
    } else if (reason == "launch_failed") {
      EXPECT_FALSE(request.launchable) << text_of(end, "message");
    } else if (reason == "host_restarted") {
      EXPECT_FALSE(request.later);
    } else if (state == "timed_out") {
      EXPECT_GT(request.timeout_ms, 0);
    } else if (state == "canceled") {
      EXPECT_TRUE(request.cancel_asked) << "no cancel was requested";
    } else {
      // A signal to a keeper may hit its child, which looks the same until its exec.
      const bool was_hit = reason == "signaled" && witness.begun == 0 &&
                           tortured_.deaths() > tortured_.board.deaths();
      EXPECT_TRUE(was_hit || reason == "keeper_lost") << "nothing explains this end";
      if (!was_hit) lost_.push_back(request.id);
    }
  }

  // Its keeper died between the spawn and the report of it, and a cancel was on record: the run is
  // then recorded as canceled, and its start is unknown.
  bool was_lost_and_canceled(const RunRequest& request, const std::string& state) const {
    return state == "canceled" && request.cancel_asked && tortured_.runs_lost() > 0;
  }

  void judge_record(const std::string& id, const json::object& end) {
    const DaemonAnswer answer = tortured_.ask({.method = "GET", .target = "/api/runs/" + id});
    ASSERT_EQ(answer.status, 200) << answer.text;
    for (const char* field : {"state", "reason", "exit_code", "signal", "started_at", "receipt"}) {
      EXPECT_EQ(answer.body.at(field), end.at(field)) << field;
    }
  }

  // Checks what the keeper wrote before anything else could fail.
  void judge_journal(const RunRequest& request, const std::string& id, const json::object& end) {
    const auto journal = read_journal_state(tortured_.home().runs() + "/" + id + ".run");
    ASSERT_TRUE(journal);
    const auto& status = journal->text.status;
    if (status && status->exited != 0) {
      EXPECT_NE(text_of(end, "state"), "abandoned") << "its exit code is lost";
      EXPECT_EQ(number(end, "exit_code"), status->exit_code);
    }
    if (!journal->text.ending || !status || status->exited == 0) return;
    const DaemonAnswer log =
        tortured_.ask({.method = "GET", .target = "/api/runs/" + id + "/logs"});
    EXPECT_EQ(times(log.text, request.key + " says this\n"), 1U) << "its stdout is not complete";
    EXPECT_EQ(times(log.text, request.key + " complains\n"), 1U) << "its stderr is not complete";
  }

  void judge_keys(const History& history) const {
    std::set<std::string> keys;
    for (const auto& [id, life] : history) {
      EXPECT_EQ(keys.insert(life.key).second, life.is_first) << "two runs for " << life.key;
    }
    EXPECT_EQ(keys.size(), herd_.requests().size())
        << "the number of runs differs from the number of requests";
  }

  void judge_leftovers(const History& history) const {
    tortured_.wait_for_programs();
    for (const auto& [member, id] : process::marked_by_name("DROVER_RUN_ID")) {
      EXPECT_FALSE(history.contains(id))
          << "process " << member.ref.pid << " of " << id << " is still alive";
    }
    const auto entries = [](const std::string& directory) {
      std::set<std::string> names;
      for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        names.insert(entry.path().filename().string());
      }
      return names;
    };
    const Home& home = tortured_.home();
    EXPECT_EQ(entries(home.trash()), std::set<std::string>());
    EXPECT_EQ(entries(home.controls()), std::set<std::string>());
    std::set<std::string> expected;
    for (const auto& [id, life] : history) {
      if (!life.deleted) expected.insert(id);
    }
    std::set<std::string> files;
    for (const std::string& name : entries(home.runs())) {
      const std::filesystem::path path = home.runs() + "/" + name;
      EXPECT_TRUE(expected.contains(path.stem())) << name << " belongs to no run";
      if (path.extension() != ".run") continue;
      files.insert(path.stem());
      const auto text = read_file(path, 1 << 20);
      EXPECT_TRUE(text && text->find("TORTURE_SECRET") == std::string::npos)
          << name << " still holds an environment";
    }
    EXPECT_EQ(files, expected) << "a run has lost its file";
    const Output report = Started({std::string(DROVER_BIN) + "/droverd", "--verify"},
                                  {{"DROVER_HOME", tortured_.file("home")}}, "")
                              .finish();
    EXPECT_EQ(report.code, 0) << report.out << report.err;
  }

  Herd& herd_;
  TorturedHome& tortured_;
  std::vector<std::string> lost_;
  int attempts_ = 1;  // Of the request that is being judged.
};

}  // namespace

void judge(Herd& herd) {
  herd.tortured().board.disarm();
  Judge(herd).judge();
}

}  // namespace drover::tests
