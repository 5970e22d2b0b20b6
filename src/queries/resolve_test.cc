// S1: whom a name stands for: within what the caller sees, its own first, and never for somebody
// whose whole id was given.
#include "queries/resolve.h"

#include "queries/store_fixture.h"

namespace drover::queries {
namespace {

class RunNames : public StoreTest {
 protected:
  // Whom `text` stands for; or why for nobody.
  std::string found(std::string_view text, const access::Grant& grant = access::owner_grant()) {
    const auto id = resolve_within(store_, grant, text);
    return id ? id->str() : id.error().reason;
  }
};

// A run of another scope does not take the name of one's own away; it is found where there is no
// other, and by its own people.
TEST_F(RunNames, OwnOnesComeFirst) {
  const access::Grant app = token("app");
  const RunId theirs = submit("build", "app");
  EXPECT_EQ(found("build"), theirs.str());  // The only one that the owner sees.
  const RunId own = submit("build");
  EXPECT_EQ(found("build"), own.str());
  EXPECT_EQ(found("build", app), theirs.str());
  EXPECT_EQ(found("build", token("other")), "not_found");
  // Below its scope a token has others', too, and they are told apart only by their ids.
  const RunId deep = submit("deploy", "app/deep");
  EXPECT_EQ(found("deploy", app), deep.str());
  submit("deploy", "app/deep");
  EXPECT_EQ(found("deploy", app), "ambiguous_name");
  const RunId top = submit("deploy", "app");
  EXPECT_EQ(found("deploy", app), top.str());
}

// Of one that was tried again the latest attempt that is still there is meant, and as long as there
// is one, nobody else's is taken for it.
TEST_F(RunNames, SurviveTheirLastAttempt) {
  const RunId first = submit("build");
  finish(first, 1);
  const RunId second = retry(first, "build");
  EXPECT_EQ(found("build"), second.str());
  finish(second, 1);
  remove(second);
  EXPECT_EQ(found("build"), first.str());
  const RunId theirs = submit("build", "app");
  EXPECT_EQ(found("build"), first.str());
  remove(first);
  EXPECT_EQ(found("build"), theirs.str());
  finish(theirs);
  remove(theirs);
  EXPECT_EQ(found("build"), "not_found");
}

// A name that looks like the beginning of an id wins; a whole id always does, with and without its
// run_. A name that another scope gave hides no id.
TEST_F(RunNames, LookLikeIds) {
  const std::string plain = submit().str();
  for (const std::string& start : {plain.substr(0, 20), plain.substr(4, 16), plain.substr(4, 1)}) {
    const RunId named = submit(start);
    EXPECT_EQ(found(start), named.str());
  }
  for (const std::string& whole : {plain, plain.substr(4)}) {
    submit(whole);
    EXPECT_EQ(found(whole), plain);
  }
  const std::string start = plain.substr(0, 29);
  const RunId stranger = submit(start, "app");
  const auto both = resolve(store_, start);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().reason, "ambiguous_name");
  EXPECT_EQ(both.error().param, "run_id");
  EXPECT_NE(both.error().message.find(stranger.view()), std::string::npos);
}

// A run finds itself by its name, from inside; who has it outside is not seen there. What it has
// started under the same name is another.
TEST_F(RunNames, OfTheRunThatAsks) {
  const RunId outside = submit("job");
  const RunId self = submit("job", "app");
  const access::Grant inside = access::grant_of_run(self, "app");
  EXPECT_EQ(found("job", inside), self.str());
  EXPECT_EQ(found("job"), outside.str());
  submit("job", access::scope_for(inside, "").value());
  EXPECT_EQ(found("job", inside), "ambiguous_name");
}

// An id is nobody's name, also after its run was removed; and it is seen then by those who saw it.
TEST_F(RunNames, NeverOfOneThatIsGone) {
  const RunId gone = submit("first", "app");
  finish(gone);
  remove(gone);
  const std::string bare(gone.view().substr(RunId::kPrefix.size()));
  submit(bare);
  EXPECT_EQ(found(bare), gone.str());
  EXPECT_EQ(found(gone.view(), token("app")), gone.str());
  EXPECT_EQ(found(gone.view(), token("other")), "not_found");
}

// @last and @failed are the newest runs of those that the caller can see, or nothing.
TEST_F(RunNames, OfTheNewest) {
  EXPECT_EQ(found("@last"), "not_found");
  EXPECT_EQ(found("@failed"), "not_found");
  const RunId failed = submit();
  finish(failed, 1);
  const RunId theirs = submit("", "app");
  EXPECT_EQ(found("@last"), theirs.str());
  EXPECT_EQ(found("@failed"), failed.str());
  EXPECT_EQ(found("@failed", token("app")), "not_found");
}

}  // namespace
}  // namespace drover::queries
