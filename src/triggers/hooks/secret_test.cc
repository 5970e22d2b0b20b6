#include "triggers/hooks/secret.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/private_group.h"
#include "testing/directory.h"
#include "triggers/hooks/limits.h"

namespace drover::triggers {
namespace {

using Secrets = std::vector<std::string>;
constexpr uid_t kStranger = 61'234;

class HookSecret : public ::testing::Test {
 protected:
  std::string write(std::string_view content, mode_t mode = 0600) const {
    const std::string path = directory.file("hook.secret");
    std::ofstream(path, std::ios::binary) << content;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  static Result<Secrets> read(const std::string& source) {
    return SecretSource::parse(source, "secret").value().read();
  }
  // The reason of the error. Every error is checked: it names the source and no secret.
  static std::string reason(const std::string& source) {
    const auto found = read(source);
    if (found) return "accepted";
    EXPECT_TRUE(found.error().message.contains(source.substr(source.find(':') + 1)));
    EXPECT_FALSE(found.error().message.contains("hush")) << found.error().message;
    EXPECT_EQ(found.error().code, ErrorCode::unavailable);
    EXPECT_EQ(found.error().param, "secret");
    EXPECT_FALSE(found.error().message.contains("DROVER_HOME")) << found.error().message;
    return found.error().reason;
  }

  testing::TestDirectory directory;
};

// Each line of a file is a secret; blanks within and around it belong to it.
TEST_F(HookSecret, ReadsTheLinesOfAFile) {
  EXPECT_EQ(read("file:" + write("hush\n")).value(), Secrets{"hush"});
  EXPECT_EQ(read("file:" + write("hush")).value(), Secrets{"hush"});
  EXPECT_EQ(read("file:" + write("new\r\n\n old one \n\n")).value(), (Secrets{"new", " old one "}));
  EXPECT_EQ(read("file:" + write("hush", 0400)).value(), Secrets{"hush"});
}

// A changed file counts at the next request.
TEST_F(HookSecret, ReadsTheFileEachTime) {
  const auto source = SecretSource::parse("file:" + write("old"), "secret").value();
  EXPECT_EQ(source.read().value(), Secrets{"old"});
  write("new\nold");
  EXPECT_EQ(source.read().value(), (Secrets{"new", "old"}));
  std::filesystem::remove(directory.file("hook.secret"));
  EXPECT_EQ(source.read().error().reason, "secret_missing");
}

// A file that others can read or change is refused, and the error says how to fix it.
TEST_F(HookSecret, RefusesAFileThatOthersCanReadOrChange) {
  for (const mode_t mode : {0604U, 0644U, 0602U, 0666U}) {
    EXPECT_EQ(reason("file:" + write("hush", mode)), "secret_unsafe") << mode;
  }
  const auto refused = read("file:" + write("hush", 0644));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("chmod 600")) << refused.error().message;
  const bool is_private = is_private_group(::getegid(), ::geteuid());
  EXPECT_EQ(reason("file:" + write("hush", 0640)), is_private ? "accepted" : "secret_unsafe");
}

// A directory on the way that others can write is refused: they could replace the file.
TEST_F(HookSecret, RefusesADirectoryThatOthersCanWrite) {
  const std::string path = write("hush");
  ASSERT_EQ(::chmod(directory.path().c_str(), 0777), 0);
  const auto refused = read("file:" + path);
  EXPECT_EQ(refused.error().reason, "secret_unsafe");
  EXPECT_TRUE(refused.error().message.contains("chmod go-w")) << refused.error().message;
  EXPECT_FALSE(refused.error().message.contains("DROVER_HOME")) << refused.error().message;
}

// A file of another user is refused.
TEST_F(HookSecret, RefusesAFileOfAnotherUser) {
  const std::string path = write("hush");
  if (::chown(path.c_str(), kStranger, kStranger) != 0) GTEST_SKIP() << "needs root";
  EXPECT_EQ(reason("file:" + path), "secret_unsafe");
}

// Missing, empty, large and binary sources are refused, and the error does not repeat them.
TEST_F(HookSecret, RefusesUselessSources) {
  EXPECT_EQ(reason("file:" + directory.file("none")), "secret_missing");
  EXPECT_EQ(reason("file:" + directory.path()), "secret_missing");
  EXPECT_EQ(reason("file:" + write("")), "secret_invalid");
  EXPECT_EQ(reason("file:" + write("\n\r\n")), "secret_invalid");
  EXPECT_EQ(reason("file:" + write(std::string_view("hush\0hush", 9))), "secret_invalid");
  EXPECT_EQ(reason("file:" + write("whsec_hush!!!")), "secret_invalid");
  EXPECT_EQ(reason("file:" + write(std::string(kSecretBytesMax + 1, 'h'))), "secret_invalid");
  EXPECT_TRUE(read("file:" + write(std::string(kSecretBytesMax, 'h'))));
  std::string lines;
  for (size_t i = 0; i < kHookSecretsMax; ++i) lines += "hush\n";
  EXPECT_EQ(read("file:" + write(lines))->size(), kHookSecretsMax);
  EXPECT_EQ(reason("file:" + write(lines + "hush")), "secret_invalid");
}

// A pipe is refused at once: reading it could block for ever.
TEST_F(HookSecret, RefusesAPipe) {
  const std::string path = directory.file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(reason("file:" + path), "secret_missing");
}

// A variable of the environment has the same form as a file.
TEST_F(HookSecret, ReadsTheEnvironment) {
  ASSERT_EQ(::setenv("DROVER_TEST_HOOK_SECRET", "new\nold", 1), 0);
  EXPECT_EQ(read("env:DROVER_TEST_HOOK_SECRET").value(), (Secrets{"new", "old"}));
  ASSERT_EQ(::setenv("DROVER_TEST_HOOK_SECRET", "", 1), 0);
  EXPECT_EQ(reason("env:DROVER_TEST_HOOK_SECRET"), "secret_invalid");
  ASSERT_EQ(::unsetenv("DROVER_TEST_HOOK_SECRET"), 0);
  EXPECT_EQ(reason("env:DROVER_TEST_HOOK_SECRET"), "secret_missing");
}

// A source is a place; a secret written in its stead is refused and not repeated.
TEST_F(HookSecret, ParsesPlaces) {
  for (const char* good : {"file:/a/b", "env:A_1", "env:_x"}) {
    EXPECT_EQ(SecretSource::parse(good, "secret").value().text(), good);
  }
  for (const char* bad : {"", "hush", "file:", "file:hush", "file:./hush", "file:~/hush", "env:",
                          "env:hush hush", "env:1hush", "env:HUSH=hush", "FILE:/hush", "/hush"}) {
    const auto refused = SecretSource::parse(bad, "secret");
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().reason, "invalid_secret_source") << bad;
    EXPECT_FALSE(refused.error().message.contains("hush")) << bad;
  }
}

}  // namespace
}  // namespace drover::triggers
