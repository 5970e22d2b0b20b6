// S1: which run a name resolves to: only runs that the caller can see, its own first. A complete id
// always resolves to the run of that id.
#include "queries/resolve.h"

#include <boost/json/parse.hpp>

#include "queries/store_fixture.h"

namespace drover::queries {
namespace {

class RunNames : public StoreTest {
 protected:
  // The run that `text` resolves to, or the error.
  std::string resolved(std::string_view text, const access::Grant& grant = access::owner_grant()) {
    const auto id = resolve_within(store_, grant, text);
    return id ? id->str() : id.error().reason;
  }
};

// A run of the same name in another scope does not hide the caller's own run. Without a run of its
// own, the caller gets the other one.
TEST_F(RunNames, PreferTheCallersOwnRun) {
  const access::Grant app = token("app");
  const RunId theirs = submit("build", "app");
  EXPECT_EQ(resolved("build"), theirs.str());  // The only one that the owner sees.
  const RunId own = submit("build");
  EXPECT_EQ(resolved("build"), own.str());
  EXPECT_EQ(resolved("build", app), theirs.str());
  EXPECT_EQ(resolved("build", token("other")), "not_found");
  // A token also sees runs below its scope. Among several of the same name, only ids are unique.
  const RunId deep = submit("deploy", "app/deep");
  EXPECT_EQ(resolved("deploy", app), deep.str());
  submit("deploy", "app/deep");
  EXPECT_EQ(resolved("deploy", app), "ambiguous_name");
  const RunId top = submit("deploy", "app");
  EXPECT_EQ(resolved("deploy", app), top.str());
}

// A name resolves to the latest remaining attempt of a retried run. While one attempt remains, no
// other run takes over the name.
TEST_F(RunNames, ResolveToTheLatestRemainingAttempt) {
  const RunId first = submit("build");
  finish(first, 1);
  const RunId second = retry(first, "build");
  EXPECT_EQ(resolved("build"), second.str());
  finish(second, 1);
  remove(second);
  EXPECT_EQ(resolved("build"), first.str());
  const RunId theirs = submit("build", "app");
  EXPECT_EQ(resolved("build"), first.str());
  remove(first);
  EXPECT_EQ(resolved("build"), theirs.str());
  finish(theirs);
  remove(theirs);
  EXPECT_EQ(resolved("build"), "not_found");
}

// If several runs have a name, it means the only active one of them. If none or several are active,
// the error lists them.
TEST_F(RunNames, ResolveToTheOnlyActiveRun) {
  for (const std::string scope : {"default", "app"}) {
    const std::string name = "in-" + scope;
    const RunId first = submit(name, scope);
    const RunId second = submit(name, scope);
    const auto both = resolve(store_, name);
    ASSERT_FALSE(both);
    EXPECT_EQ(both.error().reason, "ambiguous_name");
    EXPECT_TRUE(both.error().message.contains("several active runs have that name"));
    finish(second);
    EXPECT_EQ(resolved(name), first.str());
    finish(first);
    const auto none = resolve(store_, name);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().reason, "ambiguous_name");
    EXPECT_TRUE(none.error().message.contains(first.view())) << none.error().message;
    EXPECT_TRUE(none.error().message.contains(second.view())) << none.error().message;
    const RunId third = submit(name, scope);
    EXPECT_EQ(resolved(name), third.str());
  }
}

// A name that looks like a prefix of an id wins over the id. A complete id always wins, with and
// without run_. A name given in another scope hides no id.
TEST_F(RunNames, MayLookLikeIds) {
  const std::string plain = submit().str();
  for (const std::string& start : {plain.substr(0, 20), plain.substr(4, 16), plain.substr(4, 1)}) {
    const RunId named = submit(start);
    EXPECT_EQ(resolved(start), named.str());
  }
  for (const std::string& whole : {plain, plain.substr(4)}) {
    submit(whole);
    EXPECT_EQ(resolved(whole), plain);
  }
  const std::string start = plain.substr(0, 29);
  const RunId stranger = submit(start, "app");
  const auto both = resolve(store_, start);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().reason, "ambiguous_name");
  EXPECT_EQ(both.error().param, "run_id");
  EXPECT_NE(both.error().message.find(stranger.view()), std::string::npos);
}

// A run finds itself by its own name, and does not see runs outside of it. Once it has started runs
// under the same name, the name means those, also when they have finished: it never waits for
// itself.
TEST_F(RunNames, ResolveToTheCallingRunItself) {
  const RunId outside = submit("job");
  const RunId self = submit("job", "app");
  const access::Grant inside = access::grant_of_run(self, "app");
  EXPECT_EQ(resolved("job", inside), self.str());
  EXPECT_EQ(resolved("job"), outside.str());
  const std::string below = access::scope_for(inside, "").value();
  const RunId child = submit("job", below);
  EXPECT_EQ(resolved("job", inside), child.str());
  finish(child);
  EXPECT_EQ(resolved("job", inside), child.str());
  const RunId second = submit("job", below);
  EXPECT_EQ(resolved("job", inside), second.str());
  finish(second);
  EXPECT_EQ(resolved("job", inside), "ambiguous_name");
  remove(child);
  remove(second);
  EXPECT_EQ(resolved("job", inside), self.str());
  const RunId deep = submit("job", below + "/deep");
  EXPECT_EQ(resolved("job", inside), deep.str());
}

// An id never counts as a name, even after its run was deleted. Callers who could see the run still
// resolve it.
TEST_F(RunNames, NeverTakeOverTheIdOfADeletedRun) {
  const RunId gone = submit("first", "app");
  finish(gone);
  remove(gone);
  const std::string bare(gone.view().substr(RunId::kPrefix.size()));
  submit(bare);
  EXPECT_EQ(resolved(bare), gone.str());
  EXPECT_EQ(resolved(gone.view(), token("app")), gone.str());
  EXPECT_EQ(resolved(gone.view(), token("other")), "not_found");
}

// @last and @failed resolve to the newest matching run that the caller can see, or to nothing.
TEST_F(RunNames, LastAndFailedAreTheNewestVisibleRuns) {
  EXPECT_EQ(resolved("@last"), "not_found");
  EXPECT_EQ(resolved("@failed"), "not_found");
  const RunId failed = submit();
  finish(failed, 1);
  const RunId theirs = submit("", "app");
  EXPECT_EQ(resolved("@last"), theirs.str());
  EXPECT_EQ(resolved("@failed"), failed.str());
  EXPECT_EQ(resolved("@failed", token("app")), "not_found");
}

// @failed skips a failed run that was retried: its last attempt counts.
TEST_F(RunNames, FailedSkipsRetriedRuns) {
  const RunId older = submit();
  finish(older, 1);
  const RunId first = submit();
  finish(first, 1);
  EXPECT_EQ(resolved("@failed"), first.str());
  const RunId second = retry(first, "");
  EXPECT_EQ(resolved("@failed"), older.str());
  finish(second, 1);
  EXPECT_EQ(resolved("@failed"), second.str());
}

// R8: the error about a removed run says that it was removed; its details are the kept status, and
// how the run exited.
TEST_F(RunNames, ReportRemovedRuns) {
  const RunId gone = submit();
  finish(gone, 7);
  remove(gone);
  const auto removed = find_run(store_, gone.view());
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().reason, "not_found");
  EXPECT_EQ(removed.error().message, gone.str() + " was removed; `drover show --evidence " +
                                         gone.str() + "` prints its final state");
  const auto details = boost::json::parse(removed.error().details);
  EXPECT_EQ(details.at("run_id"), boost::json::value(gone.view()));
  EXPECT_EQ(details.at("status"), "failed");
  EXPECT_EQ(details.at("end").at("state"), "failed");
  EXPECT_EQ(details.at("end").at("exit_code"), 7);
  const auto never = find_run(store_, ids_.next().view());
  ASSERT_FALSE(never);
  EXPECT_TRUE(never.error().message.starts_with("there is no run")) << never.error().message;
  EXPECT_EQ(never.error().details, "");
}

}  // namespace
}  // namespace drover::queries
