#include "play/project_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/directory_lock.h"
#include "process/command.h"
#include "testing/directory.h"

namespace drover::play {
namespace {

namespace fs = std::filesystem;

class Lock : public ::testing::Test {
 protected:
  static std::string reason(const auto& result) { return result ? "" : result.error().reason; }
  std::string root() const { return directory.path(); }
  // As a keeper does.
  Fd lock_as_keeper() const {
    Fd file(::open(project_lock_file(root()).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    struct flock wanted{};
    wanted.l_type = F_WRLCK;
    wanted.l_start = process::kLockedByte;
    wanted.l_len = 1;
    EXPECT_EQ(::fcntl(file.get(), F_OFD_SETLK, &wanted), 0);
    return file;
  }

  testing::TestDirectory directory;
};

// P6: the lock is taken once; the error names the owner, and the lock is free when its owner is
// gone, although the file stays.
TEST_F(Lock, IsTakenOnceAndNamesItsOwner) {
  auto first = ProjectLock::take(root(), "/homes/first");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(first->renew());
  for (const auto& refused : {ProjectLock::take(root(), "/homes/second"),
                              ProjectLock::take_again(root(), "/homes/second")}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, "played_elsewhere");
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_TRUE(refused.error().message.contains("/homes/first")) << refused.error().message;
    EXPECT_TRUE(refused.error().message.contains(std::to_string(::getpid())));
  }
  EXPECT_EQ(reason(check_not_played_elsewhere(root())), "played_elsewhere");
  {
    const ProjectLock gone = std::move(*first);
  }
  EXPECT_TRUE(fs::exists(project_lock_file(root())));
  EXPECT_TRUE(check_not_played_elsewhere(root()));
  EXPECT_TRUE(ProjectLock::take(root(), "/homes/second"));
}

// P6: a keeper's lock keeps other plays away when no daemon has one, but not the play that the
// keeper belongs to.
TEST_F(Lock, AKeeperKeepsOthersAway) {
  ASSERT_TRUE(ProjectLock::take(root(), "/homes/dead"));
  const Fd keeper = lock_as_keeper();
  const auto refused = ProjectLock::take(root(), "/homes/other");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "played_elsewhere");
  EXPECT_TRUE(refused.error().message.contains("/homes/dead")) << refused.error().message;
  EXPECT_EQ(reason(check_not_played_elsewhere(root())), "played_elsewhere");
  EXPECT_TRUE(ProjectLock::take_again(root(), "/homes/dead"));
}

// P6: if the file is deleted, the root directory is still locked: by the daemon, and by the keeper
// when the daemon is gone. The daemon locks a new file before its next command.
TEST_F(Lock, StaysIfItsFileIsDeleted) {
  auto lock = ProjectLock::take(root(), "/homes/first");
  ASSERT_TRUE(lock);
  for (const std::string& gone : {project_lock_file(root()), directory.file(".drover")}) {
    fs::remove_all(gone);
    EXPECT_EQ(reason(check_not_played_elsewhere(root())), "played_elsewhere");
    EXPECT_EQ(reason(ProjectLock::take(root(), "/homes/second")), "played_elsewhere");
    EXPECT_EQ(reason(ProjectLock::take_again(root(), "/homes/second")), "played_elsewhere");
    ASSERT_TRUE(lock->renew());
    const auto named = check_not_played_elsewhere(root());
    ASSERT_FALSE(named);
    EXPECT_TRUE(named.error().message.contains("/homes/first")) << named.error().message;
  }
  const Fd keeper = lock_directory(root().c_str(), process::kLockedByte);
  lock = fail(ErrorCode::invalid, "gone", "");
  fs::remove(project_lock_file(root()));
  EXPECT_EQ(reason(ProjectLock::take(root(), "/homes/second")), "played_elsewhere");
  EXPECT_TRUE(ProjectLock::take_again(root(), "/homes/first"));
}

// Where the root cannot be locked, the lock of the file has to do.
TEST_F(Lock, FallsBackToTheFile) {
  // Root reads every directory, so it does this as nobody.
  const bool is_root = ::geteuid() == 0;
  if (is_root) ASSERT_EQ(::chown(root().c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(root().c_str(), 0300), 0);
  if (is_root) ASSERT_EQ(::seteuid(65534), 0);
  const auto first = ProjectLock::take(root(), "/homes/first");
  EXPECT_TRUE(first);
  EXPECT_EQ(reason(ProjectLock::take(root(), "/homes/second")), "played_elsewhere");
  if (is_root) ASSERT_EQ(::seteuid(0), 0);
  ASSERT_EQ(::chmod(root().c_str(), 0700), 0);
}

// Every user who may write to .drover may lock the file, regardless of the umask of its creator.
TEST_F(Lock, IsAsWritableAsItsDirectory) {
  const mode_t before = ::umask(077);
  for (const mode_t mode : {0700U, 0770U, 02775U, 0777U}) {
    fs::create_directories(directory.file(".drover"));
    ASSERT_EQ(::chmod(directory.file(".drover").c_str(), mode), 0);
    ASSERT_TRUE(check_not_played_elsewhere(root()));
    struct stat info{};
    ASSERT_EQ(::stat(project_lock_file(root()).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, mode & 0666);
    fs::remove_all(directory.file(".drover"));
  }
  ::umask(before);
}

// A file that this user may not write to: the error names its owner, and whether that user plays.
TEST_F(Lock, NamesTheOwnerOfAFileThatItCannotOpen) {
  if (::geteuid() != 0) return;  // It needs two users.
  ASSERT_TRUE(check_not_played_elsewhere(root()));
  for (const std::string& path : {root(), directory.file(".drover")}) {
    ASSERT_EQ(::chmod(path.c_str(), 0777), 0);
  }
  ASSERT_EQ(::chmod(project_lock_file(root()).c_str(), 0600), 0);
  const auto as_nobody = [&](auto call) {
    EXPECT_EQ(::seteuid(65534), 0);
    auto out = call();
    EXPECT_EQ(::seteuid(0), 0);
    return out;
  };
  const auto refused = as_nobody([&] { return ProjectLock::take(root(), "/homes/other"); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "project_not_lockable");
  EXPECT_TRUE(refused.error().message.contains("belongs to root")) << refused.error().message;
  const auto own = ProjectLock::take(root(), "/homes/first");
  ASSERT_TRUE(own);
  ASSERT_EQ(::chmod(project_lock_file(root()).c_str(), 0600), 0);
  const auto played = as_nobody([&] { return check_not_played_elsewhere(root()); });
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().reason, "played_elsewhere");
  EXPECT_TRUE(played.error().message.contains("a daemon of root")) << played.error().message;
}

// Where there cannot be a lock there is no play: a link, a file instead of a directory, a pipe, a
// directory that is not writable.
TEST_F(Lock, FailsWhereItCannotLock) {
  const auto expect_refusal = [&](const char* what) {
    EXPECT_EQ(reason(ProjectLock::take(root(), "/h")), "project_not_lockable") << what;
    EXPECT_EQ(reason(check_not_played_elsewhere(root())), "project_not_lockable") << what;
    fs::remove_all(directory.file(".drover"));
  };
  fs::create_directory(directory.file("elsewhere"));
  fs::create_directory_symlink("elsewhere", directory.file(".drover"));
  expect_refusal("a link to a directory");
  EXPECT_TRUE(fs::is_empty(directory.file("elsewhere")));
  ASSERT_TRUE(replace_file(directory.file(".drover"), "text"));
  expect_refusal("a file");
  fs::create_directory(directory.file(".drover"));
  fs::create_symlink("../elsewhere/file", project_lock_file(root()));
  expect_refusal("a link");
  EXPECT_TRUE(fs::is_empty(directory.file("elsewhere")));
  fs::create_directory(directory.file(".drover"));
  ASSERT_EQ(::mkfifo(project_lock_file(root()).c_str(), 0600), 0);
  expect_refusal("a pipe");
  fs::create_directory(directory.file(".drover"));
  fs::create_directory(project_lock_file(root()));
  expect_refusal("a directory");
  if (::geteuid() == 0) return;  // Root writes everywhere.
  fs::create_directory(directory.file(".drover"));
  ASSERT_EQ(::chmod(directory.file(".drover").c_str(), 0500), 0);
  expect_refusal("a directory that is not writable");
}

// A damaged file blocks nobody, and is not quoted.
TEST_F(Lock, IgnoresTheFilesText) {
  fs::create_directory(directory.file(".drover"));
  for (const char* text : {"", "{", "[]", R"({"home":1,"pid":"x"})"}) {
    ASSERT_TRUE(replace_file(project_lock_file(root()), text));
    EXPECT_TRUE(check_not_played_elsewhere(root()));
    const Fd keeper = lock_as_keeper();
    const auto refused = check_not_played_elsewhere(root());
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().message.contains("another daemon ")) << refused.error().message;
  }
}

}  // namespace
}  // namespace drover::play
