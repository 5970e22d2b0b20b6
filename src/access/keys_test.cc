#include "access/keys.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "access/seal.h"
#include "base/fd.h"
#include "testing/directory.h"

namespace drover::access {
namespace {

const RunId kRun = *RunId::parse("run_01m3250v1d7cgw7gr0thn80rab");

// The MAC of published test vectors.
TEST(Seal, MatchesPublishedTestVectors) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // RFC 4231, test case 2.
  EXPECT_EQ(mac_of("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f08");
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "abcd"));
}

class KeysFile : public ::testing::Test {
 protected:
  std::string open() { return Keys::open(path)->owner(); }
  unsigned mode() const {
    struct stat st{};
    ::stat(path.c_str(), &st);
    return st.st_mode & 0777;
  }
  testing::TestDirectory directory;
  std::string path = directory.file("owner.token");
};

// The owner's token is created once, readable by its owner only, and stays the same.
TEST_F(KeysFile, IsCreatedOnce) {
  const std::string first = open();
  EXPECT_TRUE(first.starts_with("dro_owner_"));
  EXPECT_EQ(first.size(), 74u);
  EXPECT_EQ(mode(), 0600u);
  EXPECT_EQ(open(), first);
}

// A file that others can read, that is incomplete, or that is a link is replaced.
TEST_F(KeysFile, IsReplacedIfUntrusted) {
  const std::string first = open();
  ::chmod(path.c_str(), 0644);
  const std::string second = open();
  EXPECT_NE(second, first);
  EXPECT_EQ(mode(), 0600u);
  std::filesystem::resize_file(path, 20);
  const std::string third = open();
  EXPECT_NE(third, second);
  const std::string elsewhere = directory.file("elsewhere");
  std::filesystem::rename(path, elsewhere);
  std::filesystem::create_symlink(elsewhere, path);
  EXPECT_NE(open(), third);
  EXPECT_FALSE(std::filesystem::is_symlink(path));
}

// R15: a run's token is derived from the owner's and verified with it; another home refuses it.
TEST(Keys, DeriveTheTokenOfARun) {
  const Keys keys("dro_owner_a");
  const std::string token = keys.of_run(kRun);
  EXPECT_TRUE(token.starts_with("dro_run_01m3250v1d7cgw7gr0thn80rab_")) << token;
  EXPECT_EQ(keys.run_of(token), kRun);
  EXPECT_EQ(Keys("dro_owner_b").run_of(token), std::nullopt);
}

// A token with any change is refused.
TEST(Keys, RefuseForgedTokens) {
  const Keys keys("dro_owner_a");
  const std::string token = keys.of_run(kRun);
  for (size_t i = 0; i < token.size(); ++i) {
    std::string forged = token;
    forged[i] = forged[i] == '0' ? '1' : '0';
    EXPECT_EQ(keys.run_of(forged), std::nullopt) << forged;
    EXPECT_EQ(keys.run_of(token.substr(0, i)), std::nullopt);
  }
  EXPECT_EQ(keys.run_of(token + "0"), std::nullopt);
  EXPECT_FALSE(keys.is_owner("dro_owner_"));
  EXPECT_FALSE(keys.is_owner(""));
  EXPECT_TRUE(keys.is_owner("dro_owner_a"));
}

// The id of a stored token is part of its text; other texts contain no id.
TEST(Keys, FindTheIdInAToken) {
  const std::string id = new_token_id();
  EXPECT_EQ(id_in(new_token_text(id)), id);
  const std::string session = new_session_id();
  EXPECT_EQ(id_in(Keys("x").of_session(session)), session);
  for (const char* other :
       {"", "dro_", "dro_run_01m3250v1d7cgw7gr0thn80rab_", "tok_123456789012"}) {
    EXPECT_EQ(id_in(other), "") << other;
  }
}

}  // namespace
}  // namespace drover::access
