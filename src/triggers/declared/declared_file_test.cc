#include "triggers/declared/declared_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "testing/directory.h"

namespace drover::triggers {
namespace {

namespace fs = std::filesystem;

class DeclaredFiles : public ::testing::Test {
 protected:
  std::string write(const std::string& path, const std::string& text, ::mode_t mode = 0600) {
    const std::string whole = at(path);
    fs::create_directories(fs::path(whole).parent_path());
    std::ofstream(whole) << text;
    ::chmod(whole.c_str(), mode);
    return whole;
  }
  std::string at(const std::string& path) const { return directory_.path() + "/" + path; }
  std::vector<DeclaredFile> load(const std::vector<std::string>& roots = {}) {
    return load_all_declared(at("triggers.d"), roots);
  }
  static std::string problems_of(const DeclaredFile& file) {
    std::string out;
    for (const Problem& one : file.problems) out += one.text() + "\n";
    return out;
  }

  testing::TestDirectory directory_;
};

constexpr const char* kGood = "[[trigger]]\nname = 'n'\nevery = '1h'\nshell = 'a'\n";

// Files ending in .toml are read in order of their names; hidden ones are not.
TEST_F(DeclaredFiles, AreReadInOrder) {
  EXPECT_TRUE(load().empty());  // There is no directory.
  write("triggers.d/b.toml", kGood);
  write("triggers.d/a.toml", "");
  write("triggers.d/.c.toml", "x");
  write("triggers.d/d.toml~", "x");
  const auto files = load();
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].file.path, at("triggers.d/a.toml"));
  EXPECT_TRUE(files[0].triggers.empty() && files[0].problems.empty());
  EXPECT_EQ(files[1].triggers.size(), 1U);
}

// A file that others could change is refused, with the command that fixes it; so is one in a
// directory that they could change, and an env file.
TEST_F(DeclaredFiles, OfOthersAreRefused) {
  const std::string file = write("triggers.d/a.toml", kGood, 0666);
  EXPECT_EQ(problems_of(load().at(0)),
            file + ": other users can write to " + file + "; run `chmod go-w '" + file + "'`\n");
  ::chmod(file.c_str(), 0644);
  EXPECT_EQ(problems_of(load().at(0)), "");
  const std::string secret = write("secret.env", "A=1\n", 0666);
  write("triggers.d/a.toml", std::string(kGood) + "env_file = '" + secret + "'\n");
  EXPECT_EQ(problems_of(load().at(0)), file + ":5:12: env_file: other users can write to " +
                                           secret + "; run `chmod go-w '" + secret + "'`\n");
  write("p/drover.toml", kGood);
  ::chmod(at("p").c_str(), 0777);
  EXPECT_EQ(problems_of(load({at("p")}).at(1)), at("p/drover.toml") +
                                                    ": other users can write to " + at("p") +
                                                    "; run `chmod go-w '" + at("p") + "'`\n");
}

// A directory that others could change, or with a name that is not UTF-8, is broken as a whole:
// nobody knows what it should declare.
TEST_F(DeclaredFiles, ADirectoryOfOthersIsBroken) {
  write("triggers.d/a.toml", kGood);
  ::chmod(at("triggers.d").c_str(), 0777);
  ASSERT_EQ(load().size(), 1U);
  EXPECT_EQ(problems_of(load().at(0)), at("triggers.d") + ": other users can write to " +
                                           at("triggers.d") + "; run `chmod go-w '" +
                                           at("triggers.d") + "'`\n");
  ::chmod(at("triggers.d").c_str(), 0755);
  EXPECT_EQ(problems_of(load().at(0)), "");
  write("triggers.d/\xff.toml", kGood);
  EXPECT_EQ(problems_of(load().at(0)),
            at("triggers.d") + ": the name of a file is not UTF-8; rename it\n");
}

// R15: `env` wins over the env file, and a mistake in that file is named by its line alone.
TEST_F(DeclaredFiles, ReadTheirEnvFiles) {
  write("p/.env", "A=file\nB=file\n");
  write("p/drover.toml", std::string(kGood) + "env_file = '.env'\nenv = { A = 'table' }\n");
  const auto file = load({at("p")}).at(0);
  EXPECT_EQ(problems_of(file), "");
  EXPECT_EQ(file.triggers.at(0).variables, (Variables{{"A", "table"}, {"B", "file"}}));
  write("p/.env", "A=file\nhush\n");
  EXPECT_EQ(problems_of(load({at("p")}).at(0)),
            at("p/drover.toml") + ":5:12: " + at("p/.env") + ", line 2: write NAME=VALUE\n");
  fs::remove(at("p/.env"));
  EXPECT_EQ(problems_of(load({at("p")}).at(0)),
            at("p/drover.toml") + ":5:12: env_file: there is no file " + at("p/.env") + "\n");
}

// A project without drover.toml declares nothing; one whose directory is missing, such as on a disk
// that is not mounted, is broken, and so is a link to nothing.
TEST_F(DeclaredFiles, AMissingDirectoryIsBroken) {
  fs::create_directories(at("p"));
  EXPECT_EQ(problems_of(load({at("p")}).at(0)), "");
  EXPECT_TRUE(
      problems_of(load({at("q")}).at(0)).contains("the directory of the project is missing"));
  fs::create_symlink("nothing", at("p/drover.toml"));
  EXPECT_TRUE(problems_of(load({at("p")}).at(0)).contains("cannot be read"));
}

}  // namespace
}  // namespace drover::triggers
