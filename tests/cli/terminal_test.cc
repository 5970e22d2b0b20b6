// Runs with a terminal, and people at theirs, through the real programs.
#include <thread>

#include "base/text.h"
#include "tests/cli/terminal_fixture.h"

namespace drover::tests {
namespace {

constexpr const char* kDetach = "\x10\x11";  // Ctrl-P Ctrl-Q.

class TerminalStory : public ::testing::Test {
 protected:
  // A program that prints its terminal's size on request, and repeats its input.
  std::string start_echo() {
    const std::string id = flock_.run(kEcho, {"--pty"});
    flock_.wait_for_state(id, "running");
    return id;
  }
  static constexpr const char* kEcho =
      "trap 'stty size' WINCH; stty -echo; echo ready; "
      "while :; do if read -r l; then [ $l = quit ] && exit 5; echo got:$l; fi; done";

  Flock flock_;
};

// S1: a detached run with a terminal sees a terminal, and has its log.
TEST_F(TerminalStory, ARunHasATerminal) {
  const std::string id = flock_.run("stty size; [ -t 1 ] && echo yes", {"--pty"});
  const auto record = flock_.ended(id);
  EXPECT_EQ(text_of(record, "state"), "completed");
  EXPECT_EQ(text_of(record, "stdin"), "pty");
  EXPECT_EQ(record.at("pty").at("cols").to_number<int>(), 80);
  EXPECT_EQ(flock_.ok({"logs", "--raw", id}), "24 80\r\nyes\r");
  EXPECT_EQ(flock_.ok({"logs", id}), "24 80\nyes");
  flock_.expect_verified();
}

// A help page that is longer than the terminal goes through $PAGER, and one that fits does not; in
// a run and without a pager it is printed.
TEST_F(TerminalStory, ALongHelpPageGoesThroughThePager) {
  flock_.environment["PAGER"] = "sed 's/^/paged: /'";
  TerminalUser reader(flock_, {"help", "run"});
  reader.wait_for("paged: usage: drover run");
  EXPECT_EQ(reader.finish(), 0);
  TerminalUser tall(flock_, {"help", "run"}, 200);
  tall.wait_for("usage: drover run");
  EXPECT_EQ(tall.finish(), 0);
  EXPECT_FALSE(tall.seen().contains("paged"));
  flock_.environment["PAGER"] = "drover-has-no-such-pager";
  TerminalUser poor(flock_, {"help", "run"});
  poor.wait_for("usage: drover run");
  EXPECT_EQ(poor.finish(), 0);
  EXPECT_FALSE(flock_.ok({"help", "run"}).contains("paged"));
}

// S1: attached, the program gets all keys including Ctrl-C, and our size; the exit code is its own;
// our terminal is restored.
TEST_F(TerminalStory, InTheForegroundTheProgramGetsAllKeys) {
  TerminalUser sitter(
      flock_,
      {"run", "--pty", "--", "/bin/sh", "-c", "trap 'echo got-int' INT; " + std::string(kEcho)}, 33,
      111);
  sitter.wait_for("ready");
  sitter.resize(40, 120);
  sitter.wait_for("40 120");
  EXPECT_TRUE(sitter.is_raw());
  sitter.type("one\r");
  sitter.wait_for("got:one");
  sitter.type("\x03");
  sitter.wait_for("got-int");
  sitter.type("quit\r");
  EXPECT_EQ(sitter.finish(), 5);
  EXPECT_TRUE(sitter.is_as_before());
}

// S1: `attach` without an argument attaches to the only run with a terminal; if there are several,
// it lists them.
TEST_F(TerminalStory, AttachFindsTheOnlyTerminal) {
  flock_.run("sleep 1000");
  const Output nobody = flock_.drover({"attach"});
  EXPECT_EQ(nobody.code, 5) << nobody.err;
  const std::string id = start_echo();
  TerminalUser sitter(flock_, {"attach"});
  sitter.wait_for("ready");
  sitter.type(kDetach);
  EXPECT_EQ(sitter.finish(), 0);
  const std::string other = start_echo();
  const Output both = flock_.drover({"attach"});
  EXPECT_EQ(both.code, 6);
  EXPECT_NE(both.err.find(id), std::string::npos) << both.err;
  EXPECT_NE(both.err.find(other), std::string::npos) << both.err;
}

// R11: a terminal that is too slow for a run's output says afterwards how many bytes it missed.
TEST_F(TerminalStory, ASlowTerminalSaysWhatItMissed) {
  const std::string id = flock_.run("stty -echo; echo ready; read -r l; seq 1 3000000; : > " +
                                        flock_.file("printed") + "; read -r l",
                                    {"--pty", "--output-limit", "64K"});
  TerminalUser sitter(flock_, {"attach", id});
  sitter.wait_for("ready");
  sitter.type("go\r");
  flock_.wait_for_file("printed");  // Nobody reads the terminal meanwhile.
  sitter.wait_for("\r\n3000000\r\n");
  EXPECT_TRUE(sitter.is_raw());
  const std::string seen = sitter.seen();
  sitter.type(kDetach);
  sitter.wait_for(" bytes of the output were not shown here");
  EXPECT_EQ(sitter.finish(), 0);
  EXPECT_TRUE(sitter.is_as_before());
  // The bytes that it has shown and the number that it names are together all that was printed. A
  // newline alone is printed, or ends a line that a gap has cut.
  std::uint64_t printed = 0, shown = 0, alone = 0;
  for (int i = 1; i <= 3'000'000; ++i) printed += std::to_string(i).size() + 2;
  const size_t begin = seen.find("1\r\n2\r\n3\r\n");
  ASSERT_NE(begin, std::string::npos);
  const size_t end = seen.find("\r\n3000000\r\n") + 11;
  for (size_t i = begin; i < end; ++i) {
    const bool is_alone = seen[i] == '\n' && seen[i - 1] != '\r';
    ++(is_alone ? alone : shown);
  }
  bool named = false;
  for (std::uint64_t i = 0; i <= alone; ++i) {
    named |= sitter.seen().contains(" " + grouped(printed - shown - i) + " bytes of the output");
  }
  EXPECT_TRUE(named) << printed - shown << " " << alone << sitter.seen().substr(end);
}

// The detach keys work also one by one; a key that only begins the sequence is passed on. The run
// continues, and attaching again shows its screen.
TEST_F(TerminalStory, AttachingAgainShowsTheScreen) {
  TerminalUser first(flock_, {"run", "--pty", "--", "/bin/sh", "-c", kEcho});
  first.wait_for("ready");
  first.type("\x10");  // Half a second later it is an ordinary key.
  first.type("x\r");
  first.wait_for("got:\x10x");
  first.type("\x10");
  first.type("\x11");
  EXPECT_EQ(first.finish(), 0);
  EXPECT_TRUE(first.is_as_before());
  EXPECT_NE(first.seen().find("detached; `drover attach run_"), std::string::npos);
  EXPECT_EQ(text_of(flock_.show("@last"), "state"), "running");

  TerminalUser second(flock_, {"attach", "@last", "--detach-keys", "ctrl-],d"}, 30, 100);
  second.wait_for("got:x");  // The screen does not show a control character.
  second.wait_for("30 100");
  second.type(kDetach);
  second.type("\r");
  second.wait_for("got:");
  second.type(
      "\x1d"
      "d");
  EXPECT_EQ(second.finish(), 0);

  TerminalUser third(flock_, {"attach", "@last"});
  third.wait_for("30 100");
  third.type("quit\r");
  EXPECT_EQ(third.finish(), 5);
}

// Several clients see the same screen; the size is that of the client that attached or typed last;
// a read-only client changes nothing.
TEST_F(TerminalStory, SeveralClientsShareOneScreen) {
  const std::string id = start_echo();
  TerminalUser wide(flock_, {"attach", id}, 50, 200);
  wide.wait_for("50 200");
  TerminalUser narrow(flock_, {"attach", id}, 20, 60);
  narrow.wait_for("20 60");
  wide.wait_for("20 60");
  TerminalUser looker(flock_, {"attach", "--read-only", id}, 10, 10);
  looker.wait_for("20 60");
  looker.type("nothing\r");
  wide.type("hello\r");
  for (TerminalUser* sitter : {&wide, &narrow, &looker}) sitter->wait_for("got:hello");
  EXPECT_EQ(flock_.show(id).at("pty").at("rows").to_number<int>(), 50);
  narrow.type("quit\r");
  for (TerminalUser* sitter : {&wide, &narrow, &looker}) {
    EXPECT_EQ(sitter->finish(), 5);
    EXPECT_TRUE(sitter->is_as_before());
    EXPECT_EQ(sitter->seen().find("got:nothing"), std::string::npos);
  }
}

// After detaching from a program that uses the alternate screen and the mouse, our terminal has
// neither; attaching again switches both on.
TEST_F(TerminalStory, ModesAreRestoredAndReapplied) {
  const std::string id = flock_.run(
      "printf '\\033[?1049h\\033[?1000h\\033[?25l\\033[31mfull'; " + std::string(kEcho), {"--pty"});
  flock_.wait_for_state(id, "running");
  TerminalUser sitter(flock_, {"attach", id});
  sitter.wait_for("full");
  for (const char* mode : {"\x1b[?1049h", "\x1b[?1000h", "\x1b[?25l"}) {
    EXPECT_NE(sitter.seen().find(mode), std::string::npos) << mode + 1;
  }
  sitter.type(kDetach);
  EXPECT_EQ(sitter.finish(), 0);
  for (const char* mode : {"\x1b[?1049l", "\x1b[?1000l", "\x1b[?25h"}) {
    EXPECT_NE(sitter.seen().find(mode), std::string::npos) << mode + 1;
  }
  flock_.ok({"cancel", id});
}

// When the client is stopped, the terminal is restored; when it continues, it draws the current
// screen, and output from the meantime appears once.
TEST_F(TerminalStory, AStoppedClientRestoresTheTerminal) {
  const std::string id =
      flock_.run("printf '\\033[?1049hfull\\r\\n'; " + std::string(kEcho), {"--pty"});
  flock_.wait_for_state(id, "running");
  TerminalUser sitter(flock_, {"attach", id});
  sitter.wait_for("full");
  ::kill(sitter.pid(), SIGTSTP);
  int status = 0;
  ASSERT_EQ(::waitpid(sitter.pid(), &status, WUNTRACED), sitter.pid());
  ASSERT_TRUE(WIFSTOPPED(status));
  sitter.wait_for("\x1b[?1049l");
  TerminalUser other(flock_, {"attach", id});
  other.type("hello\r");
  other.wait_for("got:hello");
  ::kill(sitter.pid(), SIGCONT);
  sitter.wait_for("\x1b[?1049h");
  sitter.wait_for("got:hello");
  sitter.type("quit\r");
  EXPECT_EQ(sitter.finish(), 5);
  const std::string& seen = sitter.seen();
  EXPECT_EQ(seen.find("got:hello"), seen.rfind("got:hello")) << seen;
}

// A client with a larger terminal sees what the program draws for that size, even if the program
// had set margins for the first size.
TEST_F(TerminalStory, TheScreenHasTheSizeOfTheLastClient) {
  const std::string id = flock_.run(
      "draw() { printf '\\033[H\\033[2J'; for i in $(seq 1 28); do echo line$i; done; printf last; "
      "}; "
      "trap draw WINCH; printf '\\033[1;24r'; echo ready; while :; do sleep 0.01; done",
      {"--pty"});
  flock_.wait_for_state(id, "running");
  TerminalUser first(flock_, {"attach", id}, 30, 100);
  first.wait_for("last");
  TerminalUser second(flock_, {"attach", id}, 30, 100);
  second.wait_for("line1\x1b[2Hline2");
  second.wait_for("line28\x1b[29Hlast");
  flock_.ok({"cancel", id});
}

// If the client's terminal is closed, the run continues and gets no input.
TEST_F(TerminalStory, AClosedTerminalDetaches) {
  for (const bool visiting : {true, false}) {
    std::string id;
    std::vector<std::string> words{"run", "--pty", "--", "/bin/sh", "-c", kEcho};
    if (visiting) {
      id = start_echo();
      words = {"attach", id};
    }
    TerminalUser sitter(flock_, words);
    sitter.wait_for("ready");
    if (!visiting) id = text_of(flock_.show("@last"), "run_id");
    sitter.hang_up();
    EXPECT_EQ(sitter.finish(), 128 + SIGHUP);
    flock_.wait_for_state(id, "running");  // The state changes a few milliseconds after the start.
    EXPECT_EQ(text_of(flock_.show(id), "state"), "running");
    flock_.ok({"send", id, "quit"});
    EXPECT_EQ(flock_.ended(id).at("exit_code").to_number<int>(), 5);
  }
}

// A signal that ends the client restores the terminal, whether the client handles the signal or
// not.
TEST_F(TerminalStory, SignalsRestoreTheTerminal) {
  const std::string id = start_echo();
  for (const int signal : {SIGTERM, SIGQUIT, SIGABRT}) {
    TerminalUser sitter(flock_, {"attach", id});
    sitter.wait_for("ready");
    while (!sitter.is_raw()) sitter.type("x\r"), sitter.wait_for("got:x");
    ::kill(sitter.pid(), signal);
    sitter.finish();
    EXPECT_TRUE(sitter.is_as_before()) << signal;
  }
  EXPECT_EQ(text_of(flock_.show(id), "state"), "running");
  flock_.ok({"cancel", id});
}

// If the daemon is killed, attached clients reconnect, and their keys still work.
TEST_F(TerminalStory, ClientsReconnectToTheNextDaemon) {
  TerminalUser sitter(flock_, {"run", "--pty", "--", "/bin/sh", "-c", kEcho});
  sitter.wait_for("ready");
  sitter.type("one\r");
  sitter.wait_for("got:one");
  flock_.kill_daemon();
  flock_.ok({"ps"});  // The first command starts another daemon.
  sitter.type("two\r");
  sitter.wait_for("got:two");
  sitter.type("quit\r");
  EXPECT_EQ(sitter.finish(), 5);
  EXPECT_EQ(sitter.seen().find("got:one", sitter.seen().find("got:one") + 1), std::string::npos);
  flock_.expect_verified();
}

// Without a terminal on our side, input from a pipe is typed, and its end is Ctrl-D.
TEST_F(TerminalStory, InputFromAPipeIsTyped) {
  const Output output = flock_.drover({"run", "--pty", "--", "/bin/sh", "-c", "cat"}, "a line\n");
  EXPECT_EQ(output.code, 0);
  EXPECT_EQ(output.out, "a line\r\na line\r\n");  // Echoed, and printed.
  const std::string id = flock_.run("echo up; " + until_file(flock_.file("go")) + "echo late");
  flock_.wait_for_state(id, "running");
  auto follower = flock_.start({"attach", id});
  follower->wait_for_error("reads no input");
  flock_.touch("go");
  EXPECT_NE(follower->finish().out.find("late\n"), std::string::npos);
  EXPECT_EQ(flock_.drover({"attach", id}).code, 6);
}

// S1: after Ctrl-C, `attach` exits with 130. A run with a terminal gets the key, and is ended by
// it; a run without one keeps running.
TEST_F(TerminalStory, CtrlCExitsWith130) {
  const std::string typing = flock_.run("echo up; sleep 1000", {"--pty"});
  flock_.wait_for_state(typing, "running");
  TerminalUser at_terminal(flock_, {"attach", typing});
  at_terminal.wait_for("up");
  while (!at_terminal.is_raw()) std::this_thread::yield();
  at_terminal.type("\x03");
  EXPECT_EQ(at_terminal.finish(), 130);
  EXPECT_EQ(text_of(flock_.ended(typing), "state"), "failed");

  const std::string plain = flock_.run("echo up; sleep 1000");
  flock_.wait_for_state(plain, "running");
  TerminalUser visitor(flock_, {"attach", plain});
  visitor.wait_for("up");
  visitor.type("\x03");
  visitor.wait_for("keeps running");
  EXPECT_EQ(visitor.finish(), 130);
  EXPECT_EQ(text_of(flock_.show(plain), "state"), "running");
  flock_.ok({"cancel", plain});
}

// A run that reads a pipe can be attached to as well.
TEST_F(TerminalStory, AttachAlsoWorksWithAPipe) {
  const std::string id = flock_.run("echo up; read -r l; echo got:$l", {"--stdin"});
  const Output output = flock_.drover({"attach", id}, "hello\n");
  EXPECT_EQ(output.code, 0);
  EXPECT_NE(output.out.find("got:hello\n"), std::string::npos) << output.out;
}

// H6: invalid sizes, keys and options are refused.
TEST_F(TerminalStory, RefusesInvalidOptions) {
  EXPECT_EQ(flock_.drover({"run", "--pty", "--detach-keys", "ctrl-pp", "--", "true"}).code, 2);
  const std::string id = flock_.run("sleep 1000");
  flock_.wait_for_state(id, "running");
  const auto post = [&](const std::string& what, const std::string& body) {
    return flock_.http("POST /api/runs/" + id + what +
                       " HTTP/1.1\r\nHost: d\r\nConnection: close\r\nContent-Type: application/json"
                       "\r\nContent-Length: " +
                       std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  EXPECT_NE(post("/resize", R"({"rows":10,"cols":10})").find("no_terminal"), std::string::npos);
  EXPECT_NE(post("/resize", R"({"rows":0,"cols":10})").find(R"("param":"rows")"),
            std::string::npos);
  EXPECT_NE(flock_
                .http("GET /api/runs/" + id +
                      "/screen HTTP/1.1\r\nHost: d\r\nConnection: "
                      "close\r\n\r\n")
                .find("no_terminal"),
            std::string::npos);
  flock_.ok({"cancel", id});
}

}  // namespace
}  // namespace drover::tests
