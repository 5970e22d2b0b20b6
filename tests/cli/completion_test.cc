// Shell completion in real shells, and the manual under the real man.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/harness.h"
#include "tests/terminal.h"

namespace drover::tests {
namespace {

std::map<std::string, std::string> with_path(const Flock& flock) {
  auto environment = flock.environment;
  environment["PATH"] = std::string(DROVER_BIN) + ":/usr/bin:/bin";
  environment["PS1"] = "go> ";
  environment["HOME"] = flock.file("");
  environment["LC_ALL"] = "C.UTF-8";
  return environment;
}

// Presses Tab for everything that can be completed.
void complete_everything(Terminal& shell, Flock& flock, const std::string& id) {
  const auto expect = [&](const std::string& typed, const std::string& becomes) {
    shell.type(typed + "\t");
    shell.wait_for(becomes);
    shell.type("\x15");  // Ctrl-U: clears the line.
  };
  expect("drover vers", "drover version");
  expect("drover lane se", "drover lane set");
  expect("drover run --idle", "drover run --idle-timeout");
  expect("drover run --lane bui", "drover run --lane build");
  expect("drover run --lane=bui", "build");
  expect("drover show @la", "last");
  expect("drover show " + id.substr(0, 28), id);
  expect("drover wait " + id.substr(4, 22), id.substr(4));
  expect("drover run --cwd " + flock.file("sub").substr(0, flock.file("sub").size() - 1), "/sub");
  expect("drover run -- drover-kee", "drover-keeper");
  // After = and :, where a shell may split words.
  flock.touch("inputs");
  expect("drover run --each-file=inp", "inputs");
  std::filesystem::create_directories(flock.file("host:port"));
  flock.touch("host:port/lines-of-input");
  expect("drover run --each-file=host:port/lin", "=host:port/lines-of-input");
  expect("drover run --each-file host:port/lin", " host:port/lines-of-input");
  expect("drover run -- dd if=inp", "inputs");
  expect("drover run --label a=b --env LIST=inp", "inputs");
  expect("drover run --cwd=" + flock.file("su"), "/sub");
}

// S1: Tab completes commands, options, lanes, ids, and files, in bash.
TEST(Completion, CompletesInBash) {
  Flock flock;
  std::filesystem::create_directory(flock.file("sub"));
  flock.ok({"lane", "set", "build", "2"});
  const std::string id = flock.run("true");
  Terminal bash({"/bin/bash", "--norc", "--noprofile", "-i"}, with_path(flock), flock.file(""),
                200);
  bash.wait_for("go> ");
  bash.type("source <(drover completion bash); echo rea''dy\n");
  bash.wait_for("ready");
  complete_everything(bash, flock, id);
  bash.type("exit\n");
  EXPECT_EQ(bash.finish(), 0);
}

// S1: the same in zsh and fish.
TEST(Completion, CompletesInZshAndFish) {
  Flock flock;
  std::filesystem::create_directory(flock.file("sub"));
  flock.ok({"lane", "set", "build", "2"});
  const std::string id = flock.run("true");
  Terminal zsh({"/usr/bin/zsh", "-f", "-i"}, with_path(flock), flock.file(""), 200);
  zsh.wait_for("go> ");
  zsh.type("autoload -U compinit; compinit -D; source <(drover completion zsh); echo rea''dy\n");
  zsh.wait_for("ready");
  complete_everything(zsh, flock, id);
  // An interactive shell would wait for the terminal's answers, so call the completion directly.
  const std::string script =
      "drover completion fish | source; complete -C 'drover vers'; complete -C 'drover show " +
      id.substr(0, 28) +
      "'; complete -C 'drover run --lane bui'; complete -C 'drover run --lane=b'; complete -C "
      "'drover "
      "run --each-file=inp'; complete -C 'drover run --each-file=host:port/lin'";
  Started fish({"/usr/bin/fish", "--no-config", "-c", script}, with_path(flock), "",
               flock.file(""));
  const Output out = fish.finish();
  for (const std::string& text :
       {std::string("version\t"), id + "\t", std::string("build\n"), std::string("--lane=build\n"),
        std::string("--each-file=inputs"), std::string("--each-file=host:port/lines-of-input")}) {
    EXPECT_NE(out.out.find(text), std::string::npos) << text << " in " << out.out << out.err;
  }
}

// S1: without a daemon, completion leaves out what only a daemon knows, and starts none.
TEST(Completion, StartsNoDaemon) {
  Flock flock;
  const Output out = flock.drover({"__complete", "--", "show", ""});
  EXPECT_EQ(out.code, 0);
  EXPECT_EQ(out.out + out.err, "");
  EXPECT_FALSE(std::filesystem::exists(flock.home().socket()));
}

// S1: a command completes only the runs that it applies to.
TEST(Completion, SuggestsOnlyApplicableRuns) {
  Flock flock;
  const std::string ended = flock.run("true");
  flock.ended(ended);
  const std::string active = flock.run("sleep 1000");
  const auto offered = [&](const std::string& command) {
    return flock.drover({"__complete", "--", command, "run_"}).out;
  };
  EXPECT_EQ(offered("cancel").find(ended), std::string::npos);
  EXPECT_NE(offered("cancel").find(active), std::string::npos);
  EXPECT_NE(offered("rm").find(ended), std::string::npos);
  EXPECT_EQ(offered("rm").find(active), std::string::npos);
  EXPECT_NE(offered("show").find(ended + "\tcompleted"), std::string::npos) << offered("show");
}

// S1: mandoc reads every page of the manual without a warning.
TEST(Manual, IsWellFormed) {
  const std::string directory = std::string(DROVER_BIN) + "/../share/man/man1";
  size_t pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    ++pages;
    const std::string page = entry.path().string();
    const Output read = Started({"/usr/bin/mandoc", "-Thtml", page}, {}, "").finish();
    EXPECT_NE(read.out.find("SYNOPSIS"), std::string::npos) << page;
    // The pages have no date on purpose: they are generated at build time.
    const Output out = Started({"/usr/bin/mandoc", "-Tlint", "-Wwarning", page}, {}, "").finish();
    EXPECT_TRUE(out.out.find("missing date") != std::string::npos || out.out.empty()) << out.out;
    EXPECT_EQ(out.out.find("ERROR"), std::string::npos) << out.out;
  }
  EXPECT_GT(pages, 15U);
}

}  // namespace
}  // namespace drover::tests
