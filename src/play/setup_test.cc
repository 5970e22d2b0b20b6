#include "play/setup.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"
#include "play/limits.h"
#include "testing/directory.h"

namespace drover::play {
namespace {

namespace fs = std::filesystem;

class Setup : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(at(name)).parent_path());
    ASSERT_TRUE(replace_file(at(name), text));
  }
  void program(const std::string& name, mode_t mode = 0755) {
    write(name, "#!/bin/sh\n");
    ASSERT_EQ(::chmod(at(name).c_str(), mode), 0);
  }
  void setup(const std::string& text) { write(".drover/setup.json", text); }
  std::string at(const std::string& name) const { return directory.file(name); }

  // The reason of the error, whose message must name the setup file.
  std::string why() {
    const auto path = find_runtime(directory.path());
    if (path) return "found " + *path;
    EXPECT_TRUE(path.error().message.contains("setup.json")) << path.error().message;
    return path.error().reason;
  }

  testing::TestDirectory directory;
};

// P5: accepts a path, absolute or relative to the root, with any characters.
TEST_F(Setup, FindsTheRuntime) {
  for (const char* name : {"runtime", "bin/with space", "q\"uo'te", "new\nline", "-x", "ü"}) {
    program(name);
  }
  for (const auto& [text, name] :
       std::vector<std::pair<std::string, std::string>>{{R"("runtime")", "runtime"},
                                                        {R"("./runtime")", "./runtime"},
                                                        {R"("bin/with space")", "bin/with space"},
                                                        {R"("q\"uo'te")", "q\"uo'te"},
                                                        {R"("new\nline")", "new\nline"},
                                                        {R"("-x")", "-x"},
                                                        {R"("\u00fc")", "ü"}}) {
    setup(R"({"other": [1], "runtimePath": )" + text + "}");
    EXPECT_EQ(find_runtime(directory.path()).value_or("?"), at(name)) << text;
  }
  setup(R"({"runtimePath": "/bin/sh"})");
  EXPECT_EQ(find_runtime(directory.path()).value_or("?"), "/bin/sh");
  EXPECT_EQ(find_runtime(directory.path() + "/").value_or("?"), "/bin/sh");
  fs::create_symlink("runtime", at("link"));
  setup(R"({"runtimePath": "link"})");
  EXPECT_EQ(find_runtime(directory.path()).value_or("?"), at("link"));
}

// P5: a path that is not UTF-8 is given as base64, and the root may have any bytes.
TEST_F(Setup, AcceptsPathsThatAreNotUtf8) {
  program("r\xff");
  setup(R"({"runtimePath": {"base64": ")" + base64("r\xff") + "\"}}");
  EXPECT_EQ(find_runtime(directory.path()).value_or("?"), at("r\xff"));
  program("\xfe/runtime");
  write("\xfe/.drover/setup.json", R"({"runtimePath": "runtime"})");
  EXPECT_EQ(find_runtime(at("\xfe")).value_or("?"), at("\xfe/runtime"));
  setup(R"({"runtimePath": {"base64": "a"}})");
  EXPECT_EQ(why(), "runtime_path_invalid");
  setup(R"({"runtimePath": {"base64": "", "more": 1}})");
  EXPECT_EQ(why(), "runtime_path_invalid");
  setup(R"({"runtimePath": {"base64": ""}})");
  EXPECT_EQ(why(), "runtime_path_blank");
  setup(R"({"runtimePath": {"base64": ")" + base64(std::string("a\0b", 3)) + "\"}}");
  EXPECT_EQ(why(), "runtime_path_invalid");
}

// P3: every combination of the two setup files. The Prometeu setup is read if Drover's setup file
// does not exist or lacks its key; if Drover's setup has the key, only its value counts, even an
// unusable one.
TEST_F(Setup, FallsBackToThePrometeuSetup) {
  struct Content {
    const char* drover;  // Null: the file does not exist.
    const char* studio;
    const char* want;
  };
  const char* const kDrover = R"({"runtimePath": "drover"})";
  const char* const kStudio = R"({"prometeuRuntimePath": "studio", "runtimePath": "/nowhere"})";
  program("drover");
  program("studio");
  for (const Content& now : std::vector<Content>{
           {nullptr, nullptr, "runtime_path_missing"},
           {nullptr, kStudio, "found studio"},
           {nullptr, R"({"runtimePath": "studio"})", "runtime_path_missing"},
           {nullptr, R"({"prometeuRuntimePath": " "})", "runtime_path_blank"},
           {nullptr, "oops", "runtime_path_invalid"},
           {"{}", nullptr, "runtime_path_missing"},
           {"{}", "{}", "runtime_path_missing"},
           {"{}", kStudio, "found studio"},
           {"{}", R"({"prometeuRuntimePath": ""})", "runtime_path_blank"},
           {"{}", R"({"prometeuRuntimePath": 1})", "runtime_path_invalid"},
           {"{}", R"({"prometeuRuntimePath": "nowhere"})", "runtime_path_not_found"},
           {"{}", "oops", "runtime_path_invalid"},
           {R"({"prometeuRuntimePath": "drover"})", kStudio, "found studio"},
           {kDrover, nullptr, "found drover"},
           {kDrover, kStudio, "found drover"},
           {kDrover, "oops", "found drover"},
           {R"({"runtimePath": ""})", kStudio, "runtime_path_blank"},
           {R"({"runtimePath": " \t"})", kStudio, "runtime_path_blank"},
           {R"({"runtimePath": null})", kStudio, "runtime_path_invalid"},
           {R"({"runtimePath": "nowhere"})", kStudio, "runtime_path_not_found"},
           {"oops", kStudio, "runtime_path_invalid"},
           {"", kStudio, "runtime_path_invalid"}}) {
    ASSERT_TRUE(remove_tree(at(".drover")));
    ASSERT_TRUE(remove_tree(at(".studio")));
    if (now.drover != nullptr) setup(now.drover);
    if (now.studio != nullptr) write(".studio/setup.json", now.studio);
    const std::string want = std::string_view(now.want).starts_with("found ")
                                 ? "found " + at(std::string(now.want).substr(6))
                                 : now.want;
    EXPECT_EQ(why(), want) << (now.drover == nullptr ? "-" : now.drover) << " and "
                           << (now.studio == nullptr ? "-" : now.studio);
  }
  ASSERT_TRUE(remove_tree(at(".drover")));
  write(".drover", "a file");  // So Drover's setup file does not exist.
  write(".studio/setup.json", kStudio);
  EXPECT_EQ(why(), "found " + at("studio"));
}

// P5: runtime_path_missing.
TEST_F(Setup, ReportsAMissingPath) {
  EXPECT_EQ(why(), "runtime_path_missing");
  fs::create_directory(at(".drover"));
  EXPECT_EQ(why(), "runtime_path_missing");
  setup("{}");
  EXPECT_EQ(why(), "runtime_path_missing");
  setup(R"({"runtimepath": "/bin/sh"})");
  EXPECT_EQ(why(), "runtime_path_missing");
}

// P5: runtime_path_blank.
TEST_F(Setup, ReportsABlankPath) {
  for (const char* blank : {"", " ", R"(\t)", R"( \n\r )"}) {
    setup(R"({"runtimePath": ")" + std::string(blank) + "\"}");
    EXPECT_EQ(why(), "runtime_path_blank") << blank;
  }
}

// P5: runtime_path_invalid, for the file's content and for its type.
TEST_F(Setup, ReportsAnInvalidPath) {
  fs::create_directory(at("directory"));
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0777), 0);
  fs::create_symlink("circle", at("circle"));
  const std::string too_long(limits::kPathBytesMax, 'x');
  for (const std::string& text : std::vector<std::string>{
           R"({"runtimePath": null})", R"({"runtimePath": 1})", R"({"runtimePath": true})",
           R"({"runtimePath": ["/bin/sh"]})", R"({"runtimePath": {}})",
           R"({"runtimePath": "a\u0000b"})", R"({"runtimePath": "directory"})",
           R"({"runtimePath": "pipe"})", R"({"runtimePath": "/dev/null"})",
           R"({"runtimePath": "circle"})", R"({"runtimePath": ")" + too_long + "\"}", "", "[]",
           "\"/bin/sh\"", "{", R"({"runtimePath": "/bin/sh"} x)", "{\"runtimePath\": \"r\xff\"}",
           std::string(10'000, '['),
           R"({"runtimePath": "/bin/sh", "x": ")" + std::string(kSetupBytesMax, 'x') + "\"}"}) {
    setup(text);
    EXPECT_EQ(why(), "runtime_path_invalid") << text.substr(0, 60);
  }
  const std::string file = at(".drover/setup.json");
  ASSERT_TRUE(remove_tree(file));
  fs::create_directory(file);
  EXPECT_EQ(why(), "runtime_path_invalid");
  ASSERT_TRUE(remove_tree(file));
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(why(), "runtime_path_invalid");
  ASSERT_TRUE(remove_tree(file));
  fs::create_symlink("nowhere", file);
  EXPECT_EQ(why(), "runtime_path_invalid");
  if (::geteuid() == 0) return;  // Root reads everything.
  ASSERT_TRUE(remove_tree(file));
  setup(R"({"runtimePath": "/bin/sh"})");
  ASSERT_EQ(::chmod(file.c_str(), 0), 0);
  EXPECT_EQ(why(), "runtime_path_invalid");
}

// P5: runtime_path_not_found. A bare name is not searched in PATH, and ~ is not expanded.
TEST_F(Setup, ReportsAPathThatDoesNotExist) {
  write("file", "");
  fs::create_symlink("nowhere", at("dangling"));
  for (const char* path :
       {"nowhere", "/nowhere/at/all", "sh", "file/x", "dangling", "~/x", " /bin/sh"}) {
    setup(R"({"runtimePath": ")" + std::string(path) + "\"}");
    EXPECT_EQ(why(), "runtime_path_not_found") << path;
  }
}

// P5: runtime_path_not_executable.
TEST_F(Setup, ReportsAFileThatIsNotExecutable) {
  program("plain", 0644);
  setup(R"({"runtimePath": "plain"})");
  EXPECT_EQ(why(), "runtime_path_not_executable");
  if (::geteuid() == 0) return;  // Root may search every directory.
  program("closed/runtime");
  ASSERT_EQ(::chmod(at("closed").c_str(), 0), 0);
  setup(R"({"runtimePath": "closed/runtime"})");
  EXPECT_EQ(why(), "runtime_path_not_executable");
  ASSERT_EQ(::chmod(at("closed").c_str(), 0700), 0);
}

}  // namespace
}  // namespace drover::play
