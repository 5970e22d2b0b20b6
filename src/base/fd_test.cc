#include "base/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace drover {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "drover-fd-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory = name;
  }
  void TearDown() override { fs::remove_all(directory); }

  std::string at(std::string_view name) const { return directory + "/" + std::string(name); }
  static unsigned mode(const std::string& path) {
    struct stat st{};
    return ::lstat(path.c_str(), &st) == 0 ? st.st_mode & 07777 : 0;
  }

  std::string directory;
};

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

// A signal that arrives while a file is opened does not make it fail: the writer of a FIFO waits
// for a reader, through a signal.
TEST_F(Files, OpeningSurvivesASignal) {
  const std::string fifo = at("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  static std::atomic<bool> interrupted = false;
  struct sigaction without_restart{};
  without_restart.sa_handler = [](int) { interrupted = true; };
  struct sigaction before{};
  ASSERT_EQ(::sigaction(SIGUSR1, &without_restart, &before), 0);
  const pthread_t self = ::pthread_self();
  Fd reader;
  {
    const std::jthread other([&] {
      // Again and again, until one has arrived during the open: before it, a signal changes
      // nothing.
      for (int i = 0; i < 1'000; ++i) {
        ::pthread_kill(self, SIGUSR1);
        std::this_thread::yield();
      }
      reader = open_file(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    });
    const Fd writer = open_file(fifo, O_WRONLY | O_CLOEXEC);
    EXPECT_TRUE(writer) << errno;
  }
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_TRUE(interrupted);
  EXPECT_TRUE(reader);
}

// A descriptor is closed when its owner is destroyed, moves with its owner, and is closed once.
TEST_F(Files, FdHasOneOwner) {
  const int raw = ::open(directory.c_str(), O_RDONLY | O_CLOEXEC);
  {
    Fd first(raw);
    EXPECT_TRUE(first);
    Fd second(std::move(first));
    EXPECT_EQ(second.get(), raw);
    EXPECT_TRUE(is_open(raw));
    Fd third;
    EXPECT_FALSE(third);
    third = std::move(second);
    EXPECT_EQ(third.get(), raw);
  }
  EXPECT_FALSE(is_open(raw));

  Fd released(::open(directory.c_str(), O_RDONLY | O_CLOEXEC));
  const int kept = released.release();
  EXPECT_FALSE(released);
  EXPECT_TRUE(is_open(kept));
  ::close(kept);
}

// All bytes arrive although a pipe takes them piece by piece.
TEST_F(Files, WriteAllContinuesAfterShortWrites) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  Fd out(ends[0]);
  Fd in(ends[1]);
  const std::string sent(1'000'000, 'x');
  std::string got;
  std::thread reader([&] {
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(out.get(), buffer, sizeof buffer)) > 0;) {
      got.append(buffer, static_cast<size_t>(n));
    }
  });
  EXPECT_TRUE(write_all(in.get(), sent));
  in.close();
  reader.join();
  EXPECT_EQ(got, sent);
  EXPECT_FALSE(write_all(-1, "x"));
}

// A file of exactly the limit is read whole; one byte more is an error, not a truncation.
TEST_F(Files, ReadFileRefusesMoreThanItsLimit) {
  const std::string bytes = std::string(40'000, 'y') + '\0' + "z";
  ASSERT_TRUE(replace_file(at("f"), bytes));
  EXPECT_EQ(*read_file(at("f"), bytes.size()), bytes);
  const auto larger = read_file(at("f"), bytes.size() - 1);
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().code, ErrorCode::exhausted);
  const auto missing = read_file(at("none"), 10);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find(at("none")), std::string::npos);
}

// A replaced file is private and complete, and no temporary file is left; a link in its place is
// replaced, not followed.
TEST_F(Files, ReplaceFileIsPrivateAndWhole) {
  ASSERT_TRUE(replace_file(at("f"), "old"));
  ASSERT_TRUE(replace_file(at("target"), "untouched"));
  fs::create_symlink(at("target"), at("link"));
  ASSERT_TRUE(replace_file(at("f"), "new"));
  ASSERT_TRUE(replace_file(at("link"), "new"));
  EXPECT_EQ(*read_file(at("f"), 10), "new");
  EXPECT_EQ(*read_file(at("target"), 10), "untouched");
  EXPECT_EQ(mode(at("f")), 0600U);
  EXPECT_FALSE(fs::exists(at("f.new")));
  EXPECT_FALSE(replace_file(at("nowhere/f"), "x"));
}

// A full disk has its own error, so that a caller can tell it from other failures, and the old file
// is unchanged.
TEST_F(Files, AFullDiskHasItsOwnError) {
  EXPECT_EQ(fail_errno("x", ENOSPC).error().reason, "disk_full");
  EXPECT_EQ(fail_errno("x", EDQUOT).error().reason, "disk_full");
  EXPECT_EQ(fail_errno("cannot open y", ENOENT).error().message,
            "cannot open y: No such file or directory");
  ASSERT_TRUE(replace_file(at("f"), "old"));
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_FSIZE, &none);
    ::_exit(replace_file(at("f"), "new").has_value() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*read_file(at("f"), 10), "old");
}

// W8: directories are created with their missing parents, 0700 whatever the umask; creating one
// twice succeeds; a file in the way is an error.
TEST_F(Files, MakePrivateDirectoryCreatesParents) {
  const mode_t before = ::umask(0);
  ASSERT_TRUE(make_private_directory(at("a/b/c")));
  ASSERT_TRUE(make_private_directory(at("a/b/c")));
  ASSERT_TRUE(make_private_directory(at("a/b/d/")));
  ::umask(before);
  EXPECT_EQ(mode(at("a")), 0700U);
  EXPECT_EQ(mode(at("a/b/c")), 0700U);
  ASSERT_TRUE(replace_file(at("file"), ""));
  EXPECT_FALSE(make_private_directory(at("file")));
  EXPECT_FALSE(make_private_directory(at("file/below")));
  EXPECT_FALSE(make_private_directory(""));
}

// R8: removing a run's directory never follows a link out of it, and succeeds if it is missing.
TEST_F(Files, RemoveTreeFollowsNoLink) {
  ASSERT_TRUE(make_private_directory(at("outside")));
  ASSERT_TRUE(replace_file(at("outside/precious"), "1"));
  ASSERT_TRUE(make_private_directory(at("run/sub")));
  ASSERT_TRUE(replace_file(at("run/sub/f"), "2"));
  fs::create_directory_symlink(at("outside"), at("run/sub/link"));
  ASSERT_TRUE(remove_tree(at("run")));
  EXPECT_FALSE(fs::exists(at("run")));
  EXPECT_TRUE(fs::exists(at("outside/precious")));
  EXPECT_TRUE(remove_tree(at("run")));
}

// A path that somebody else chose is read if it is a regular file; otherwise it is refused without
// blocking.
TEST_F(Files, ReadRegularFileNeverBlocks) {
  ASSERT_TRUE(replace_file(at("file"), "1234"));
  EXPECT_EQ(read_regular_file(at("file"), 4).value_or("?"), "1234");
  EXPECT_EQ(read_regular_file(at("file"), 3).error().reason, "file_too_large");
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_regular_file(at("pipe"), 4).error().reason, "not_a_file");
  EXPECT_EQ(read_regular_file(directory, 4).error().reason, "not_a_file");
  EXPECT_EQ(read_regular_file("/dev/zero", 4).error().reason, "not_a_file");
  EXPECT_FALSE(read_regular_file(at("missing"), 4));
}

}  // namespace
}  // namespace drover
