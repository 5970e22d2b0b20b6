// Ignore rules mean what they mean to git.
#include "triggers/files/ignore.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "base/fd.h"
#include "testing/directory.h"

namespace drover::triggers {
namespace {

namespace fs = std::filesystem;

bool ignored(std::string_view rules, std::string_view path, bool is_directory = false) {
  return IgnoreRules(rules).verdict(path, is_directory) == Verdict::ignored;
}

// Every construct of an ignore file.
TEST(Ignore, ReadsRules) {
  EXPECT_TRUE(ignored("*.o\n", "a/b.o"));
  EXPECT_FALSE(ignored("*.o\n!b.o\n", "a/b.o"));
  EXPECT_TRUE(ignored("!b.o\n*.o\n", "a/b.o"));
  EXPECT_TRUE(ignored("/a.o", "a.o"));
  EXPECT_FALSE(ignored("/a.o", "x/a.o"));
  EXPECT_TRUE(ignored("x/a.o", "x/a.o"));
  EXPECT_FALSE(ignored("x/a.o", "y/x/a.o"));
  EXPECT_FALSE(ignored("build/", "build"));
  EXPECT_TRUE(ignored("build/", "x/build", true));
  EXPECT_TRUE(ignored("a/**/b", "a/x/y/b"));
  EXPECT_FALSE(ignored("# a\n", "# a"));
  EXPECT_TRUE(ignored("\\#a\n", "#a"));
  EXPECT_TRUE(ignored("\\!a\r\n", "!a"));
  EXPECT_TRUE(ignored("a  \n", "a"));
  EXPECT_TRUE(ignored("a\\ \n", "a "));
  EXPECT_TRUE(
      ignored("\xEF\xBB\xBF"
              "a",
              "a"));
  EXPECT_FALSE(ignored("[a\n\\\n/\n\n!\n", "a"));
}

// The trigger's rules go before .gitignore files, the deepest of those first, the built-in ones
// last.
TEST(Ignore, TheStrongestSourceDecides) {
  const IgnoreScope bare{IgnoreRules()};
  EXPECT_TRUE(bare.ignores(".git", true));
  EXPECT_TRUE(bare.ignores("a/.x.swp", false));
  EXPECT_TRUE(bare.ignores("a/b~", false));
  EXPECT_TRUE(bare.ignores("#a#", false));
  EXPECT_FALSE(bare.ignores("a.swp", false));
  EXPECT_FALSE(bare.ignores(".gitignore", false));
  const IgnoreScope scope = IgnoreScope(IgnoreRules("!keep~\nmine\n"))
                                .with_file("", IgnoreRules("*.log\n!mine\n"))
                                .with_file("a", IgnoreRules("!b.log\n/c\n"));
  EXPECT_FALSE(scope.ignores("keep~", false));
  EXPECT_TRUE(scope.ignores("mine", false));
  EXPECT_TRUE(scope.ignores("a/a.log", false));
  EXPECT_FALSE(scope.ignores("a/b.log", false));
  EXPECT_TRUE(scope.ignores("a/c", false));
}

// A .gitignore file above the root counts, as seen from its own directory.
TEST(Ignore, FilesAboveTheRootCount) {
  const IgnoreScope scope =
      IgnoreScope(IgnoreRules())
          .with_file_above("sub/root/", IgnoreRules("sub/root/x\nroot/y\n*.o"));
  EXPECT_TRUE(scope.ignores("x", false));
  EXPECT_FALSE(scope.ignores("y", false));
  EXPECT_TRUE(scope.ignores("z.o", false));
}

// A repository with random .gitignore files, and every path of it.
class Repository {
 public:
  Repository() {
    shell("git init -q .");
    for (const char* a : {"a", "b", "ab", "a.c", "[a]", "a b"}) {
      for (const char* b : {"a", "b", "c"}) {
        fs::create_directories(directory_.path() + "/" + a + "/" + b);
        for (const char* c : {"a", "b.c", "ab", "A", "a "}) {
          write(std::string(a) + "/" + b + "/" + c, "");
        }
      }
      write(std::string(a) + "/b.c", "");
    }
    write("c", "");
    write("b.c", "");
  }
  void write(const std::string& name, const std::string& text) {
    const auto written = replace_file(directory_.file(name), text);
    if (!written) throw std::runtime_error(written.error().message);
  }
  // Paths that git ignores, and that we ignore.
  std::set<std::string> by_git() {
    write(".git/paths", [&] {
      std::string out;
      for (const auto& [path, is_directory] : paths()) out += path + '\0';
      return out;
    }());
    std::set<std::string> out;
    std::string all = shell("git check-ignore -z --stdin --no-index < .git/paths");
    for (size_t at = 0; at < all.size();) {
      const std::string path = all.c_str() + at;
      at += path.size() + 1;
      out.insert(path);
    }
    return out;
  }
  std::set<std::string> by_us(const std::map<std::string, std::string>& files) {
    std::set<std::string> out;
    std::map<std::string, IgnoreScope> scopes;
    const auto enter = [&](const std::string& path, const IgnoreScope& scope) {
      const auto found = files.find(path);
      scopes.emplace(
          path, found == files.end() ? scope : scope.with_file(path, IgnoreRules(found->second)));
    };
    enter("", IgnoreScope{IgnoreRules()});
    for (const auto& [path, is_directory] : paths()) {  // A directory comes before its files.
      const size_t slash = path.rfind('/');
      const std::string parent = slash == std::string::npos ? "" : path.substr(0, slash);
      if (!scopes.contains(parent) || scopes.at(parent).ignores(path, is_directory)) {
        out.insert(path);
      } else if (is_directory) {
        enter(path, scopes.at(parent));
      }
    }
    return out;
  }

 private:
  std::map<std::string, bool> paths() const {
    std::map<std::string, bool> out;
    for (auto at = fs::recursive_directory_iterator(directory_.path()); at != fs::end(at); ++at) {
      const std::string path = at->path().string().substr(directory_.path().size() + 1);
      if (path == ".git") at.disable_recursion_pending();
      if (!path.starts_with(".git")) out.emplace(path, at->is_directory());
    }
    return out;
  }
  std::string shell(const std::string& command) const {
    const std::string line = "cd '" + directory_.path() +
                             "' && GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 " + command;
    FILE* pipe = ::popen(line.c_str(), "r");
    std::string out;
    std::array<char, 4096> bytes{};
    for (size_t n = 0; (n = ::fread(bytes.data(), 1, bytes.size(), pipe)) > 0;) {
      out.append(bytes.data(), n);
    }
    ::pclose(pipe);
    return out;
  }
  testing::TestDirectory directory_{testing::DirectoryPlace::memory};
};

rc::Gen<std::string> ignore_text() {
  const auto piece = rc::gen::elementOf(std::vector<std::string>{
      "a",    "b",    "c",           "*",       "?",     "**", "/",   "/",     ".c",
      "[ab]", "[!a]", "[a-b]",       "\\a",     "\\*",   " ",  "\\ ", "**/",   "/**",
      "/**/", "[]a]", "[[:alpha:]]", "[[:x:]]", "[a",    "\\", "***", "[a/b]", "[^b]",
      "A",    "a b",  "[[]a]",       "[\\]a]",  "[b-a]", "\\/"});
  const auto line = rc::gen::map(
      rc::gen::tuple(
          rc::gen::elementOf(std::vector<std::string>{"", "", "", "!", "/", "#", "\\#", "!/"}),
          rc::gen::resize(5, rc::gen::container<std::vector<std::string>>(piece)),
          rc::gen::elementOf(std::vector<std::string>{"", "", "/", " ", "\r", "//"})),
      [](const auto& parts) {
        std::string out = std::get<0>(parts);
        for (const auto& each : std::get<1>(parts)) out += each;
        out += std::get<2>(parts);
        // Stars behind other characters: ignore.h says how we differ from git. And git matches no
        // level with ** before an escaped slash.
        out = std::regex_replace(out, std::regex(R"(([^/!])\*\*+)"), "$1*");
        out = std::regex_replace(out, std::regex(R"(\*\*\\/)"), "**/");
        return out + "\n";
      });
  return rc::gen::map(rc::gen::resize(6, rc::gen::container<std::vector<std::string>>(line)),
                      [](const std::vector<std::string>& lines) {
                        std::string out;
                        for (const auto& each : lines) out += each;
                        return out;
                      });
}

// Whatever stands in the .gitignore files, we ignore exactly the paths that git ignores.
RC_GTEST_PROP(IgnoreProperty, IgnoresExactlyAsGit, ()) {
  static Repository repository;
  std::map<std::string, std::string> files;
  for (const char* place : {"", "a", "a/b", "ab"}) {
    files[place] = *ignore_text();
    repository.write(std::string(place) + (*place == 0 ? "" : "/") + ".gitignore", files[place]);
  }
  const auto git = repository.by_git();
  const auto ours = repository.by_us(files);
  RC_ASSERT(ours == git);
}

}  // namespace
}  // namespace drover::triggers
