#include "inbox/inbox.h"

#include <algorithm>

#include "inbox/inbox_fixture.h"
#include "inbox/limits.h"

namespace drover::inbox {
namespace {

using store::reason_of;
using testing::BreakWhen;

// A15: a question belongs to its run and to the run's scope, and is answered once; each change is
// one event.
TEST_F(InboxTest, AQuestionIsAskedAndAnswered) {
  const run::Record run = submit("team/a");
  const auto added = ask(run, R"({"question": "deploy?", "choices": ["yes", "no"]})");
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(added->entry.run_id, run.id.str());
  EXPECT_EQ(added->entry.scope, "team/a");
  EXPECT_EQ(added->entry.app, "");
  EXPECT_TRUE(added->entry.id.starts_with("question_"));
  const auto answered = this->run(inbox_.answer(added->entry.id, {.choice = "yes"}, "owner"));
  ASSERT_TRUE(answered) << answered.error().message;
  EXPECT_EQ(answered->state, State::answered);
  EXPECT_EQ(answered->answer.choice, "yes");
  EXPECT_EQ(answered->closed_by, "owner");
  EXPECT_EQ(answered->closed_at, clock_.wall_ms());
  EXPECT_EQ(events(), (std::vector<std::string>{"question.asked", "question.answered"}));
  EXPECT_EQ(changed_.size(), 2U);
}

// A15: the same answer twice is one, another one a conflict, and neither writes an event.
TEST_F(InboxTest, TheSameAnswerTwiceIsOne) {
  const run::Record run = submit();
  const std::string id = asked(run, R"({"question": "q?", "choices": ["a", "b"]})");
  ASSERT_TRUE(this->run(inbox_.answer(id, {.choice = "a"}, "owner")));
  EXPECT_TRUE(this->run(inbox_.answer(id, {.choice = "a"}, "token")));
  EXPECT_EQ(reason_of(this->run(inbox_.answer(id, {.choice = "b"}, "owner"))), "already_answered");
  EXPECT_EQ(reason_of(this->run(inbox_.answer(id, {.choice = "c"}, "owner"))), "unknown_choice");
  EXPECT_EQ(reason_of(this->run(inbox_.dismiss(id, "owner"))), "already_answered");
  EXPECT_EQ(reason_of(this->run(inbox_.answer("question_x", {.choice = "a"}, "owner"))),
            "not_found");
  EXPECT_EQ(entry(id).closed_by, "owner");
  EXPECT_EQ(events(), (std::vector<std::string>{"question.asked", "question.answered"}));
}

// A run that repeats its request, with its key, has one question; another text under the same key
// is a conflict, and so is a report. The keys of two runs are independent.
TEST_F(InboxTest, AKeyAddsOnce) {
  const run::Record run = submit();
  const auto first = ask(run, R"({"question": "q?"})", "k");
  clock_.advance_ms(1'000);
  const auto second = ask(run, R"({"question": "q?"})", "k");
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->entry.id, first->entry.id);
  EXPECT_TRUE(second->replayed);
  EXPECT_FALSE(first->replayed);
  EXPECT_EQ(second->entry.at, first->entry.at);
  EXPECT_EQ(reason_of(ask(run, R"({"question": "r?"})", "k")), "idempotency_key_reused");
  EXPECT_NE(ask(submit(), R"({"question": "q?"})", "k")->entry.id, first->entry.id);
  EXPECT_EQ(events().size(), 2U);
}

// Only runs that exist ask; a run, and all runs together, have a bounded number of open questions.
TEST_F(InboxTest, OpenQuestionsAreBounded) {
  run::Record stranger = submit();
  stranger.id = ids_.next();
  EXPECT_EQ(reason_of(ask(stranger, R"({"question": "q?"})")), "not_found");
  const run::Record run = submit();
  std::string first;
  for (std::int64_t i = 0; i < kOpenPerRunMax; ++i) {
    const std::string id = asked(run);
    if (first.empty()) first = id;
  }
  const auto refused = ask(run, R"({"question": "q?"})");
  EXPECT_EQ(reason_of(refused), "too_many_questions");
  ASSERT_TRUE(this->run(inbox_.dismiss(first, "owner")));
  EXPECT_TRUE(ask(run, R"({"question": "q?"})"));
  EXPECT_TRUE(ask(submit(), R"({"question": "q?"})"));
}

// The runs of one scope cannot fill the inbox: once it is crowded, a scope has a share of it, with
// those below it, and others still ask. A repeated request is answered as before.
TEST_F(InboxTest, OneScopeLeavesRoom) {
  // A quarter of the inbox is of team/a, the rest of many others.
  const auto scope_of = [](std::int64_t i) -> std::string {
    if (i < kOpenPerInnerScopeMax) return "team/a/" + std::to_string(i);
    return i < kOpenPerScopeMax - 1 ? "team" : "other" + std::to_string(i);
  };
  constexpr std::int64_t kPerWork = 100;  // Within kWorkMs, also with a sanitizer.
  for (std::int64_t first = 0; first < kOpenCrowded; first += kPerWork) {
    store::must(store::write_to(
        kept_, store::Work([&](store::Transaction& t) -> Result<> {
          for (std::int64_t i = first; i < std::min(first + kPerWork, kOpenCrowded); ++i) {
            Entry entry;
            entry.id = "question_" + std::to_string(i);
            entry.run_id = "run_" + std::to_string(i);
            entry.scope = scope_of(i);
            entry.text = "q?";
            if (auto ok = insert_entry(t, entry, "key"); !ok) return ok;
          }
          return t.append({.subject = "question/many", .type = "question.asked"});
        })));
  }
  const auto refusal = [this](const std::string& scope) {
    return reason_of(ask(submit(scope), R"({"question": "q?"})"));
  };
  EXPECT_EQ(refusal("team/a"), "quota_exceeded");
  EXPECT_EQ(refusal("team/a/b/c"), "quota_exceeded");
  EXPECT_EQ(refusal("teams"), "");
  const run::Record last = submit("team/b");
  EXPECT_TRUE(ask(last, R"({"question": "q?"})", "once"));
  EXPECT_EQ(refusal("team/b"), "quota_exceeded");
  EXPECT_EQ(refusal("team"), "quota_exceeded");
  EXPECT_TRUE(ask(last, R"({"question": "q?"})", "once"));
  EXPECT_EQ(refusal("default"), "");
}

// The oldest reports of a run are removed; its open questions are not.
TEST_F(InboxTest, ReportsOfARunAreBounded) {
  const run::Record run = submit();
  const std::string open = asked(run);
  for (std::int64_t i = 0; i < kKeptPerRun + 5; ++i) {
    auto report = read_report(R"({"type": "output", "summary": "s"})", clock_.wall_ms());
    ASSERT_TRUE(this->run(inbox_.add(run.id, std::move(*report), "", {})));
  }
  const auto all =
      store::must(list_entries(kept_, access::owner_grant(), {.open_only = false, .limit = 1'000}));
  EXPECT_EQ(all.size(), static_cast<size_t>(kKeptPerRun) + 1);
  EXPECT_EQ(all.back().entry.id, open);
}

// R15: a caller sees the entries of its scope and of those below it; a run sees its own and those
// of the runs that it started. An id of another scope does not exist for it.
TEST_F(InboxTest, EntriesHaveTheScopeOfTheirRun) {
  const run::Record mine = submit("team/a");
  const run::Record child = submit("team/a/" + mine.id.str());
  const run::Record other = submit("team/ab");
  const std::string of_mine = asked(mine);
  const std::string of_child = asked(child);
  const std::string of_other = asked(other);
  const auto seen = [&](const access::Grant& grant) {
    std::vector<std::string> out;
    for (const NumberedEntry& one : store::must(list_entries(kept_, grant, {}))) {
      out.push_back(one.entry.id);
    }
    return out;
  };
  access::Grant team{.is_owner = false, .scope = "team/a"};
  EXPECT_EQ(seen(team), (std::vector<std::string>{of_child, of_mine}));
  EXPECT_EQ(seen(access::owner_grant()).size(), 3U);
  EXPECT_EQ(seen(access::grant_of_run(mine.id, mine.scope)),
            (std::vector<std::string>{of_child, of_mine}));
  EXPECT_EQ(seen(access::grant_of_run(child.id, child.scope)),
            (std::vector<std::string>{of_child}));
  EXPECT_EQ(reason_of(find_entry(kept_, team, of_other)), "not_found");
  EXPECT_TRUE(find_entry(kept_, team, of_mine));
}

// The beginning of an id is enough if it is unique among those that the caller sees.
TEST_F(InboxTest, AnIdMayBeShortened) {
  const std::string one = asked(submit("a"));
  clock_.advance_ms(60'000'000);
  const std::string two = asked(submit("b"));
  const access::Grant owner = access::owner_grant();
  const std::string begin = two.substr(0, two.size() - 10);
  EXPECT_EQ(find_entry(kept_, owner, begin)->id, two);
  EXPECT_EQ(find_entry(kept_, owner, begin.substr(std::string("question_").size()))->id, two);
  EXPECT_EQ(reason_of(find_entry(kept_, owner, "question_")), "ambiguous_id");
  EXPECT_EQ(find_entry(kept_, {.is_owner = false, .scope = "a"}, "question_")->id, one);
  for (const std::string& bad : {std::string(), std::string("%"), std::string("question_z"),
                                 std::string("a\0b", 3), std::string("\xff")}) {
    EXPECT_EQ(reason_of(find_entry(kept_, owner, bad)), "not_found") << bad;
  }
}

// R13: a write that fails, before or after it has landed, leaves no second entry when the run asks
// again with its key, and no second answer.
TEST_F(InboxTest, AFailingStoreAddsNothingTwice) {
  for (const BreakWhen when : {BreakWhen::before, BreakWhen::after}) {
    const run::Record run = submit();
    store_.break_write(1, when);
    auto first = ask(run, R"({"question": "q?"})", "k");
    store_.break_write(0, when);
    auto again = ask(run, R"({"question": "q?"})", "k");
    ASSERT_TRUE(again) << again.error().message;
    const std::string id = again->entry.id;
    store_.break_write(1, when);
    (void)this->run(inbox_.answer(id, {.choice = {}, .text = "yes"}, "owner"));
    store_.break_write(0, when);
    EXPECT_TRUE(this->run(inbox_.answer(id, {.choice = {}, .text = "yes"}, "owner")));
    const auto all = store::must(list_entries(
        kept_, access::owner_grant(), {.open_only = false, .run_id = run.id.str(), .limit = 10}));
    EXPECT_EQ(all.size(), 1U);
  }
  EXPECT_EQ(events(), (std::vector<std::string>{"question.asked", "question.answered",
                                                "question.asked", "question.answered"}));
}

}  // namespace
}  // namespace drover::inbox
