#include "play/manifest.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/fd.h"
#include "base/text.h"
#include "play/limits.h"
#include "testing/directory.h"

namespace drover::play {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProject = R"([project]
id = "game"
name = "Gäme"
version = "1.2"
tags = ["b", "a"]
[play.manifest]
engine = 2
)";

class Manifest : public ::testing::Test {
 protected:
  Manifest() { fs::create_directory(at("build")); }

  std::string at(const std::string& name) const { return directory.file(name); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(at("build/" + name)).parent_path());
    ASSERT_TRUE(replace_file(at("build/" + name), text));
  }
  // The manifest as it is on disk.
  std::string written() const {
    const auto tally = write_manifest(directory.path(), *parse_project("drover.toml", kProject));
    EXPECT_TRUE(tally) << tally.error().message;
    return read_file(at("build/manifest.json"), 1 << 20).value_or("");
  }
  Error refused() const {
    const auto tally = write_manifest(directory.path(), *parse_project("drover.toml", kProject));
    EXPECT_FALSE(tally);
    return tally ? Error{} : tally.error();
  }

  testing::TestDirectory directory;
};

// P2: the whole manifest, byte by byte; the hashes are those of sha256sum.
TEST_F(Manifest, HasExactlyTheseBytes) {
  write("b.txt", "hello\n");
  write("a/z", "");
  write("a.txt", "1");
  write("Ü \"q\"\n", "2");
  write("\xff", "3");
  fs::create_symlink("../b.txt", at("build/a/link"));
  fs::create_directories(at("build/empty/directories"));
  EXPECT_EQ(written(), R"({
  "manifest_version": 1,
  "project": {"id":"game","name":"Gäme","version":"1.2","tags":["b","a"]},
  "engine": 2,
  "files": [
    {"path":"a.txt","size":1,"sha256":"6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"},
    {"path":"a/link","link":"../b.txt"},
    {"path":"a/z","size":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"path":"b.txt","size":6,"sha256":"5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"},
    {"path":"Ü \"q\"\n","size":1,"sha256":"d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35"},
    {"path":{"base64":"/w=="},"size":1,"sha256":"4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce"}
  ]
}
)");
  EXPECT_TRUE(boost::json::parse(written()).is_object());
  const auto tally = write_manifest(directory.path(), *parse_project("drover.toml", kProject));
  EXPECT_EQ(tally->files, 6U);
  EXPECT_EQ(tally->bytes, 9U);
}

// P2: an empty build has a manifest. If there is no build directory, the error names it.
TEST_F(Manifest, AnEmptyBuildHasOne) {
  EXPECT_TRUE(written().contains("\"files\": []\n}"));
  EXPECT_TRUE(boost::json::parse(written()).is_object());
  ASSERT_TRUE(remove_tree(at("build")));
  EXPECT_EQ(refused().reason, "no_build");
  ASSERT_TRUE(replace_file(at("build"), "a file"));
  EXPECT_EQ(refused().reason, "no_build");
}

// P2: writing the manifest again changes nothing. The temporary file of a killed writer is not
// listed, and is removed.
TEST_F(Manifest, IsTheSameAfterACrash) {
  write("a", "1");
  write("deep/.manifest.json.1", "not ours: it is not where we write");
  write("deep/manifest.json", "nor is this");
  const std::string before = written();
  EXPECT_TRUE(before.contains("deep/.manifest.json.1") && before.contains("deep/manifest.json"));
  write(".manifest.json.4711", "half of it");
  write(".manifest.json.", "");
  write("manifest.json", "somebody wrote here");
  EXPECT_EQ(written(), before);
  EXPECT_FALSE(fs::exists(at("build/.manifest.json.4711")));
  EXPECT_FALSE(fs::exists(at("build/.manifest.json.")));
}

// P2: directory, time, user and locale make no difference to the manifest; one changed byte does.
TEST_F(Manifest, IsTheSameEverywhere) {
  const std::vector<std::string> names{"i",   "I",   "ı",   "ä",  "z", "Z",
                                       "a-b", "a/b", "a.b", "10", "9"};
  for (const std::string& name : names) write(name, "of " + name);
  const std::string here = written();

  const testing::TestDirectory other;
  const std::string root = other.file("another place, \xff, with a longer name");
  const mode_t mask = ::umask(0077);
  ::setenv("TZ", "Asia/Kathmandu", 1);
  const std::string locale = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "C.UTF-8");
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    const fs::path path = root + "/build/" + *name;
    fs::create_directories(path.parent_path());
    const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT, 0777));
    ASSERT_TRUE(write_all(fd.get(), "of " + *name));
    const timespec times[2]{{.tv_sec = 1, .tv_nsec = 2}, {.tv_sec = 3, .tv_nsec = 4}};
    ASSERT_EQ(::futimens(fd.get(), times), 0);
  }
  ASSERT_TRUE(write_manifest(root, *parse_project("elsewhere.toml", kProject)));
  std::setlocale(LC_ALL, locale.c_str());
  ::unsetenv("TZ");
  ::umask(mask);
  const std::string there = read_file(root + "/build/manifest.json", 1 << 20).value_or("");
  EXPECT_EQ(there, here);

  write("ä", "of Ä");
  EXPECT_NE(written(), here);
  write("ä", "of ä");
  EXPECT_EQ(written(), here);
}

// A link in place of the build directory is refused, wherever it leads: the manifest would be
// written outside of the project.
TEST_F(Manifest, IsNotWrittenThroughALink) {
  ASSERT_TRUE(remove_tree(at("build")));
  fs::create_directory(at("elsewhere"));
  for (const std::string& target :
       {std::string("elsewhere"), at("elsewhere"), std::string("missing"), std::string("build")}) {
    fs::create_symlink(target, at("build"));
    const Error error = refused();
    EXPECT_EQ(error.reason, "bad_build") << target;
    EXPECT_TRUE(error.message.contains("build is a link")) << error.message;
    fs::remove(at("build"));
  }
  EXPECT_TRUE(fs::is_empty(at("elsewhere")));
}

// The manifest has the same permissions as the build's own files.
TEST_F(Manifest, HasTheModeOfTheBuild) {
  const mode_t mask = ::umask(0022);
  (void)written();
  ::umask(mask);
  struct stat info{};
  ASSERT_EQ(::stat(at("build/manifest.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644U);
}

// A link that stays inside the build is listed and not followed, in whichever way it is written.
TEST_F(Manifest, ListsLinksThatStayInside) {
  write("d/f", "1");
  fs::create_directories(at("build/x/y"));
  fs::create_symlink("../../d", at("build/x/y/up"));
  fs::create_symlink("x/y/up/f", at("build/through"));
  fs::create_symlink(".", at("build/self"));
  const std::string text = written();
  EXPECT_TRUE(text.contains(R"({"path":"through","link":"x/y/up/f"})")) << text;
  EXPECT_TRUE(text.contains(R"({"path":"self","link":"."})")) << text;
  EXPECT_FALSE(text.contains("self/")) << text;
}

// A link that leaves the build, leads to a missing file or leads to the manifest is refused by
// name.
TEST_F(Manifest, RefusesOtherLinks) {
  ASSERT_TRUE(replace_file(at("outside"), "secret"));
  write("in", "1");
  fs::create_directories(at("build/a/b"));
  (void)written();
  fs::create_symlink("../..", at("build/a/b/top"));
  for (const std::string& target : std::vector<std::string>{
           "/etc/passwd", at("build/in"), "../outside", "..", "../build/in", "a/b/top/../outside",
           "nowhere", "bad", "in/x", "manifest.json", "a/b/top/manifest.json", "/proc/self/exe"}) {
    fs::create_symlink(target, at("build/bad"));
    const Error error = refused();
    EXPECT_EQ(error.reason, "bad_build") << target << error.message;
    EXPECT_TRUE(error.message.contains("build/bad is a link to ")) << error.message;
    fs::remove(at("build/bad"));
  }
  (void)written();
}

// A pipe, socket or device is refused without opening it, which could block.
TEST_F(Manifest, RefusesSpecialFiles) {
  ASSERT_EQ(::mkfifo(at("build/pipe").c_str(), 0600), 0);
  EXPECT_TRUE(refused().message.contains("build/pipe"));
  fs::remove(at("build/pipe"));
  const Fd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  at("build/sock").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(refused().reason, "bad_build");
}

// A refusal leaves the old manifest unchanged and no temporary file.
TEST_F(Manifest, ARefusalChangesNothing) {
  write("a", "1");
  const std::string before = written();
  ASSERT_EQ(::mkfifo(at("build/pipe").c_str(), 0600), 0);
  (void)refused();
  EXPECT_EQ(read_file(at("build/manifest.json"), 1 << 20).value_or(""), before);
  fs::remove(at("build/pipe"));
  fs::remove(at("build/manifest.json"));
  fs::create_directories(at("build/manifest.json/x"));
  EXPECT_TRUE(refused().message.contains("manifest.json"));
  EXPECT_EQ(std::distance(fs::directory_iterator(at("build")), {}), 2);
}

// A full disk leaves the old manifest unchanged and no temporary file.
TEST_F(Manifest, AFullDiskChangesNothing) {
  write("a", "1");
  const std::string before = written();
  for (int i = 0; i < 100; ++i) write("f" + std::to_string(i), "2");
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit limit{.rlim_cur = 4'096, .rlim_max = old_limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const Error error = refused();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_action);
  EXPECT_EQ(error.code, ErrorCode::unavailable) << error.message;
  EXPECT_EQ(read_file(at("build/manifest.json"), 1 << 20).value_or(""), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(at("build")), {}), 102);
  EXPECT_NE(written(), before);
}

// A tree deeper than the limit is an error.
TEST_F(Manifest, RefusesATreeThatIsTooDeep) {
  std::string path = "f";
  for (size_t i = 1; i < kManifestDepthMax; ++i) path.insert(0, "d/");
  write(path, "1");
  EXPECT_TRUE(written().contains(path));
  write("d/" + path, "1");
  EXPECT_EQ(refused().reason, "build_too_large");
}

// Concurrent writers take turns, and neither sees the other's temporary file.
TEST_F(Manifest, ConcurrentWritersTakeTurns) {
  write("a", "1");
  const std::string want = written();
  const auto project = parse_project("drover.toml", kProject);
  std::array<int, 2> bad{};
  {
    std::array<std::jthread, 2> writers;
    for (size_t i = 0; i < writers.size(); ++i) {
      writers[i] = std::jthread([&, i] {
        for (int round = 0; round < 50; ++round) {
          bad[i] += write_manifest(directory.path(), *project) ? 0 : 1;
        }
      });
    }
  }
  EXPECT_EQ(bad, (std::array<int, 2>{}));
  EXPECT_EQ(read_file(at("build/manifest.json"), 1 << 20).value_or(""), want);
}

}  // namespace
}  // namespace drover::play
