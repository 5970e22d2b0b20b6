// The warning of a trigger, from the file of its secret, from its polls and from its watches.
#include "triggers/explain/warning.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "testing/directory.h"
#include "triggers/poll/poll_state.h"
#include "triggers/room_fixture.h"

namespace drover::triggers {
namespace {

class Warning : public RoomFixture {
 protected:
  std::string warning(const std::string& name,
                      const std::map<std::string, std::string>& of_files = {}) {
    const StoredTrigger trigger = stored(name);
    return must(
        warning_of(store_, trigger, must(read_spec(trigger.spec, trigger.anchor)), of_files));
  }
  void remember(const std::string& name, const PollState& state) {
    must(store::write_to(store_, store::Work([&](store::Transaction& t) -> Result<> {
                           if (auto ok = set_state(t, name, {0, to_json(state)}); !ok) return ok;
                           return t.append(
                               {.subject = "trigger/" + name, .type = "trigger.polled"});
                         })));
  }
};

// A secret that others can read later is a warning at once, and none once it is private again.
TEST_F(Warning, OfAWebhookWhoseSecretBecameUnsafe) {
  const testing::TestDirectory directory;
  const std::string file = directory.file("secret");
  std::ofstream(file) << "a long enough secret\n";
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  add("deploy", R"({"type": "webhook", "path": "site", "secret": "file:)" + file + R"("})");
  EXPECT_EQ(warning("deploy"), "");
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  EXPECT_TRUE(warning("deploy").contains("chmod 600 '" + file + "'")) << warning("deploy");
  ASSERT_EQ(::unlink(file.c_str()), 0);
  EXPECT_TRUE(warning("deploy").contains("does not exist")) << warning("deploy");
}

// A failing poll is a warning with its reason, until a poll works.
TEST_F(Warning, OfAPollThatFails) {
  add("news", R"({"type": "feed", "url": "https://example.org/feed.xml"})");
  EXPECT_EQ(warning("news"), "");
  remember("news", {.errors = 1, .error = "unreachable: cannot connect to the server"});
  EXPECT_EQ(warning("news"), "the last poll failed: unreachable: cannot connect to the server");
  remember("news", {.errors = 3, .error = "unreachable: cannot connect to the server"});
  EXPECT_EQ(warning("news"), "the last 3 polls failed: unreachable: cannot connect to the server");
  remember("news", {});
  EXPECT_EQ(warning("news"), "");
}

// The warning of a watch belongs to its trigger.
TEST_F(Warning, OfFilesThatCannotBeWatched) {
  add("sync", R"({"type": "file", "root": "/srv", "globs": ["*.txt"]})");
  EXPECT_EQ(warning("sync", {{"other", "x"}}), "");
  EXPECT_EQ(warning("sync", {{"sync", "/srv does not exist"}}), "/srv does not exist");
}

}  // namespace
}  // namespace drover::triggers
