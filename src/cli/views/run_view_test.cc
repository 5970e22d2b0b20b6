#include "cli/views/run_view.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace drover::cli {
namespace {

boost::json::object object(std::string_view json) {
  return boost::json::parse(json).get_object();
}

// A run's title is its name, or its command as typed; a room's run is shown with the composite it
// belongs to.
TEST(RunView, ATitleIsTheNameOrTheCommand) {
  EXPECT_EQ(title_of(object(R"({"kind":"command","lane":"default","command":["make","all"]})")),
            "make all");
  EXPECT_EQ(title_of(object(R"({"kind":"command","lane":"default","name":"n","command":["a"]})")),
            "n");
  EXPECT_EQ(title_of(object(
                R"({"kind":"batch","lane":"","scope":"batch/b","name":"b","command":["drover"]})")),
            "batch b");
  EXPECT_EQ(title_of(object(
                R"({"kind":"part","lane":"x","scope":"batch/b","name":"one","command":["a"]})")),
            "b: one");
}

// The title of a shell script is the script without the shell; with --each, the script and its
// input.
TEST(RunView, ATitleOfAScriptOmitsTheShell) {
  EXPECT_EQ(title_of(object(R"({"command":["/bin/sh","-c","make all && ./run"]})")),
            "make all && ./run");
  EXPECT_EQ(title_of(object(R"({"command":["/bin/sh","-c","wc $1","sh","a b"]})")),
            "wc $1 · 'a b'");
  EXPECT_EQ(title_of(object(R"({"command":["sh","-c","a b"]})")), "sh -c 'a b'");
}

// A table shows the name and the command; of a room's run only the title.
TEST(RunView, AFullTitleHasNameAndCommand) {
  EXPECT_EQ(full_title_of(object(R"({"kind":"command","command":["make","all"]})")), "make all");
  EXPECT_EQ(full_title_of(object(R"({"kind":"command","name":"n","command":["make","all"]})")),
            "n · make all");
  EXPECT_EQ(full_title_of(
                object(R"({"kind":"batch","lane":null,"name":"b1","scope":"x","command":["a"]})")),
            "batch b1");
  EXPECT_EQ(command_of(object(R"({"command":["/bin/sh","-c","a b"]})")), "/bin/sh -c 'a b'");
}

// The receipt lists only the actions that were taken: signals that were not sent are left out.
TEST(RunView, AReceiptListsOnlyWhatWasDone) {
  EXPECT_EQ(receipt_line(object(R"({"receipt":{"signalled":0,"orphans":0,"survivors":0}})")), "");
  EXPECT_EQ(receipt_line(object(R"({"receipt":{"signalled":1,"term_at":"2026-11-15T09:58:25.123Z",
                                  "kill_at":null,"orphans":0,"survivors":0}})")),
            "1 process signaled · TERM");
  EXPECT_EQ(receipt_line(object(R"({"receipt":{"signalled":3,"term_at":"x","kill_at":"x",
                                  "orphans":2,"survivors":1,"survived":["dd\u001b"]}})")),
            "3 processes signaled · TERM · KILL · 2 orphans stopped · 1 survivor: dd?");
}

// S1: each way to finish has its exit code.
TEST(RunView, EachFinishHasItsExitCode) {
  struct Row {
    const char* run;
    int code;
  };
  for (const Row& row : std::initializer_list<Row>{
           {R"({"state":"completed","exit_code":0})", 0},
           {R"({"state":"failed","exit_code":3,"signal":null})", 3},
           {R"({"state":"failed","exit_code":null,"signal":9})", 137},
           {R"({"state":"timed_out","signal":15})", 124},
           {R"({"state":"canceled","exit_code":0})", 130},
           {R"({"state":"failed","launch_step":"exec","launch_error":"ENOENT"})", 127},
           {R"({"state":"failed","launch_step":"exec","launch_error":"EACCES"})", 126},
           {R"({"state":"failed","launch_step":"exec","launch_error":"ENOEXEC"})", 126},
           {R"({"state":"failed","launch_step":"exec","launch_error":"EISDIR"})", 126},
           {R"({"state":"failed","launch_step":"exec","launch_error":"E2BIG"})", 125},
           {R"({"state":"failed","launch_step":"cwd","launch_error":"ENOENT"})", 125},
           {R"({"state":"abandoned","exit_code":null})", 125},
           {R"({"state":"failed","reason":"output_limit","exit_code":0})", 125},
           {R"({"state":"failed","reason":"output_limit","signal":15})", 125},
           {R"({"state":"failed","reason":"out_of_memory","exit_code":0})", 125},
       }) {
    EXPECT_EQ(exit_code_of(object(row.run)), row.code) << row.run;
  }
}

// Unknown is never success: an unknown state of a newer daemon, a completion without an exit code,
// an empty record.
TEST(RunView, UnknownIsNeverSuccess) {
  EXPECT_EQ(exit_code_of(object(R"({"state":"levitated","exit_code":0})")), 125);
  EXPECT_EQ(exit_code_of(object(R"({"state":"completed"})")), 125);
  EXPECT_EQ(exit_code_of(object("{}")), 125);
}

// A command is shown quoted, as one would type it.
TEST(RunView, QuotesForAShell) {
  EXPECT_EQ(command_of(object(R"({"command":["echo","a b","it's",""]})")),
            R"(echo 'a b' 'it'\''s' '')");
}

// The program prints a notice only about an end that the command could not report itself.
TEST(RunView, NoticeOnlyIfTheCommandCouldNotReport) {
  EXPECT_EQ(end_notice(object(R"({"state":"failed","reason":"exit_nonzero","message":"x"})")), "");
  EXPECT_EQ(end_notice(object(R"({"state":"timed_out","reason":"timeout","message":"after 1s"})")),
            "timed out: after 1s");
  EXPECT_EQ(end_notice(object(R"({"state":"abandoned","reason":"keeper_lost","message":null})")),
            "abandoned (keeper_lost)");
}

// A message may quote untrusted text; control characters in it are replaced.
TEST(RunView, CleansTheMessage) {
  EXPECT_EQ(end_notice(object(R"({"state":"failed","reason":"launch_failed",
                              "message":"no \u001b[31mfoo\u001b]0;pwn\u0007"})")),
            "failed: no ?[31mfoo?]0;pwn?");
}

// R11: lost output is explained by what may have lost it, and by nothing else.
TEST(RunView, ExplainsLostOutput) {
  const auto missing = [](std::int64_t printed, bool drained, std::int64_t dropped) {
    return missing_output({{"stdout_bytes", printed},
                           {"stderr_bytes", 0},
                           {"limits", {{"output", {{"value", 4096}}}}},
                           {"receipt", {{"dropped_bytes", dropped}, {"drained", drained}}}});
  };
  EXPECT_EQ(missing(5000, true, 0), "");
  EXPECT_EQ(missing(5000, true, 904),
            "904 bytes of its output are not kept: it printed more than its output limit");
  EXPECT_EQ(missing(100, true, 50), "50 bytes of its output are not kept: the disk was full");
  EXPECT_EQ(missing(100, false, 50),
            "50 bytes of its output are not kept: they were still in a pipe that another process "
            "kept open, or the disk was full");
  EXPECT_EQ(missing(5000, false, 950),
            "950 bytes of its output are not kept: it printed more than its output limit, or they "
            "were still in a pipe that another process kept open");
}

}  // namespace
}  // namespace drover::cli
