// `drover run --each`: one run for every input.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <filesystem>
#include <set>

#include "tests/harness.h"
#include "tests/terminal.h"

namespace drover::tests {
namespace {

std::vector<boost::json::object> lines_of(const std::string& text) {
  std::vector<boost::json::object> out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    const auto value = boost::json::parse(text.substr(begin, end - begin));
    out.push_back(value.as_object());
    begin = end + 1;
  }
  return out;
}

std::string numbers(int count) {
  std::string out;
  for (int i = 1; i <= count; ++i) out += std::to_string(i) + "\n";
  return out;
}

// S1: every input gets one run; on a pipe, successes print nothing.
TEST(Each, StartsARunForEveryInput) {
  Flock flock;
  const Output out = flock.drover(
      {"run", "--each", "-j", "8", "--", "/bin/sh", "-c", "echo {} >> done.{}"}, numbers(100));
  EXPECT_EQ(out.code, 0);
  EXPECT_EQ(out.out + out.err, "");
  for (int i = 1; i <= 100; ++i) {
    const auto text = read_file(flock.file("done." + std::to_string(i)), 1000);
    ASSERT_TRUE(text) << i;
    EXPECT_EQ(*text, std::to_string(i) + "\n");
  }
  EXPECT_EQ(flock.json({"ps", "-a"})["runs"].as_array().size(), 100U);
  flock.expect_verified();
}

// S1: inputs with any byte but NUL arrive unchanged, also in --json.
TEST(Each, EveryByteOfAnInputArrives) {
  Flock flock;
  std::string bytes;
  for (int c = 1; c < 256; ++c) bytes += static_cast<char>(c);
  const std::string inputs = bytes + '\0' + "-n" + '\0' + '\0' + "größe\n" + '\0';
  const Output out = flock.drover({"run", "--each", "-0", "--json", "--", "printf", "%s"}, inputs);
  EXPECT_EQ(out.code, 0) << out.err;
  std::set<std::string> printed;
  const auto lines = lines_of(out.out);
  ASSERT_EQ(lines.size(), 5U);
  for (size_t i = 0; i < 4; ++i) {
    printed.insert(flock.drover({"logs", text_of(lines[i], "run_id")}).out);
  }
  EXPECT_EQ(printed, (std::set<std::string>{bytes, "-n", "", "größe\n"}));
  EXPECT_EQ(lines.back().at("summary").as_object().at("completed").to_number<int>(), 4);
}

// S1: failed runs are listed in order, with id, result and input; exit code 123.
TEST(Each, FailuresAreListed) {
  Flock flock;
  const Output out = flock.drover({"run", "--each", "--shell", "--", "exit \"$1\" || kill -9 $$"},
                                  "0\n3\nx\n\n4\n; echo no\n");
  EXPECT_EQ(out.code, 123);
  EXPECT_NE(out.out.find("  3  "), std::string::npos) << out.out;
  EXPECT_NE(out.out.find("; echo no"), std::string::npos) << out.out;
  const std::string id = out.out.substr(out.out.find("run_"), 30);
  EXPECT_EQ(text_of(flock.show(id), "state"), "failed");
  EXPECT_NE(out.err.find("4 failed"), std::string::npos) << out.err;
}

// R17: the run of an input that is retried is reported after its last attempt, and only then starts
// the next input.
TEST(Each, ReportsARetriedInputAfterItsLastAttempt) {
  Flock flock;
  const Output out =
      flock.drover({"run", "--each", "-j", "1", "--json", "--retry", "2", "--backoff", "20ms",
                    "--shell", "--", "echo $1 >> order; [ $1 -lt 8 ] || [ $DROVER_ATTEMPT = 2 ]"},
                   numbers(10));
  EXPECT_EQ(out.code, 0) << out.err;
  const auto lines = lines_of(out.out);
  ASSERT_EQ(lines.size(), 11U);
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(text_of(lines[i], "state"), "completed");
  EXPECT_EQ(read_file(flock.file("order"), 1000).value_or(""), numbers(7) + "8\n8\n9\n9\n10\n10\n");
}

// R16, S1: all runs wait for another run and have terminals of their own; if that run fails, they
// are canceled.
TEST(Each, AllWaitForAnotherAndHaveTerminals) {
  Flock flock;
  const std::string first = flock.run("exit 0");
  const std::string failed = flock.run("exit 3");
  const Output well = flock.drover({"run", "--each", "--after", first, "--pty", "--", "/bin/sh",
                                    "-c", "test -t 1 && echo {} > tty.{}"},
                                   numbers(3));
  EXPECT_EQ(well.code, 0) << well.out << well.err;
  for (int i = 1; i <= 3; ++i) {
    EXPECT_TRUE(std::filesystem::exists(flock.file("tty." + std::to_string(i))));
  }
  const Output out =
      flock.drover({"run", "--each", "--json", "--after", failed, "--", "true"}, numbers(2));
  EXPECT_EQ(out.code, 123) << out.err;
  const auto lines = lines_of(out.out);
  ASSERT_EQ(lines.size(), 3U);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(text_of(lines[i], "state"), "canceled");
}

// S1: @last is the run that it was when --each began, not one of its own runs.
TEST(Each, LastIsResolvedOnce) {
  Flock flock;
  const std::string first = flock.run("exit 0");
  flock.wait_for_state(first, "completed");
  const Output out = flock.drover(
      {"run", "--each", "-d", "-j", "1", "--after", "@last", "--", "echo"}, numbers(3));
  ASSERT_EQ(out.code, 0) << out.err;
  for (size_t begin = 0; begin < out.out.size(); begin = out.out.find('\n', begin) + 1) {
    const auto run = flock.show(out.out.substr(begin, out.out.find('\n', begin) - begin));
    const auto& after = run.at("after").as_array();
    ASSERT_EQ(after.size(), 1U);
    EXPECT_EQ(after.front().as_string(), first);
  }
}

// S1: an input that is too long for a command line fails alone; the others run.
TEST(Each, AnInputThatIsTooLongFailsAlone) {
  Flock flock;
  const Output made =
      flock.drover({"run", "--shell", "--", "head -c 200000 /dev/zero | tr '\\0' x"});
  ASSERT_TRUE(replace_file(flock.file("inputs"), "a\n" + made.out + "\nb\n"));
  const Output out = flock.drover({"run", "--each-file", "inputs", "--json", "--", "true"});
  EXPECT_EQ(out.code, 123);
  std::multiset<std::string> states;
  for (const auto& line : lines_of(out.out)) states.insert(text_of(line, "state"));
  EXPECT_EQ(states, (std::multiset<std::string>{"", "completed", "completed", "refused"}));
}

// S1: invalid options are refused before any run starts.
TEST(Each, RefusesInvalidOptions) {
  Flock flock;
  for (const auto& [words, says] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"run", "--each", "-j", "0", "--", "true"}, "--jobs"},
           {{"run", "--each", "-j", "x", "--", "true"}, "--jobs"},
           {{"run", "--each", "-j", "99999", "--", "true"}, "--jobs"},
           {{"run", "-j", "2", "--", "true"}, "--each"},
           {{"run", "--each", "-i", "--", "true"}, "--stdin"},
           {{"run", "--each", "--shell", "--", "rm {}"}, "\"$1\""},
           {{"run", "--each-file", "missing", "--", "true"}, "missing"},
           {{"run", "--each", "--lane", "a b", "--", "true"}, "lane"}}) {
    const Output out = flock.drover(words, "a\nb\n");
    EXPECT_NE(out.code, 0) << words[2];
    EXPECT_NE(out.err.find(says), std::string::npos) << out.err;
  }
  EXPECT_TRUE(flock.json({"ps", "-a"})["runs"].as_array().empty());
}

// S1: without inputs there are no runs and no failure.
TEST(Each, NoInputsStartNoRuns) {
  Flock flock;
  EXPECT_EQ(flock.drover({"run", "--each", "--", "true"}).code, 0);
  EXPECT_TRUE(flock.json({"ps", "-a"})["runs"].as_array().empty());
}

// S1, R7: Ctrl-C starts no further runs and cancels the active ones.
TEST(Each, CtrlCCancelsActiveRuns) {
  Flock flock;
  const auto each = flock.start(
      {"run", "--each", "-j", "3", "--shell", "--", "touch begun.$1; sleep 1000"}, numbers(10));
  for (const char* i : {"1", "2", "3"}) flock.wait_for_file("begun." + std::string(i));
  each->signal(SIGINT);
  const Output out = each->finish();
  EXPECT_EQ(out.code, 130);
  const auto runs = flock.json({"ps", "-a"})["runs"].as_array();
  EXPECT_EQ(runs.size(), 3U);
  for (const auto& run : runs) EXPECT_EQ(text_of(run.as_object(), "state"), "canceled");
  EXPECT_FALSE(std::filesystem::exists(flock.file("begun.4")));
  flock.expect_verified();
}

// S1: Ctrl-C also drops inputs that were pipelined behind short runs.
TEST(Each, CtrlCDropsPipelinedInputs) {
  Flock flock;
  const auto each =
      flock.start({"run", "--each", "-j", "2", "--shell", "--",
                   "[ $1 -le 20 ] || { mkdir one 2> no || mkdir two; tail -f /dev/null; }"},
                  numbers(30));
  for (const char* name : {"one", "two"}) flock.wait_for_file(name);
  each->signal(SIGINT);
  const Output out = each->finish();
  EXPECT_EQ(out.code, 130);
  EXPECT_NE(out.err.find("8 not started"), std::string::npos) << out.err;
  EXPECT_EQ(flock.json({"ps", "-a"})["runs"].as_array().size(), 22U);
  flock.expect_verified();
}

// S1: Ctrl-C among runs that take no time also cancels runs that start after it.
TEST(Each, CtrlCCancelsRunsThatStartAfterIt) {
  Flock flock;
  const auto each = flock.start(
      {"run", "--each", "-j", "4", "--json", "--shell", "--", "touch begun.$1"}, numbers(5000));
  flock.wait_for_file("begun.200");
  each->signal(SIGINT);
  const Output out = each->finish();
  EXPECT_EQ(out.code, 130);
  const auto lines = lines_of(out.out);
  const auto total = lines.back().at("summary").as_object().at("total").to_number<size_t>();
  EXPECT_LT(total, 5000U);
  EXPECT_EQ(total, lines.size() - 1);
  EXPECT_EQ(flock.json({"status"})["runs_active"].to_number<int>(), 0);
  EXPECT_EQ(flock.json({"ps", "-a"})["runs"].as_array().size(), total);
  flock.expect_verified();
}

// S1: an input that was pipelined behind a long run is given to another connection, and there are
// never more runs at once than asked for.
TEST(Each, NoInputWaitsBehindALongRun) {
  Flock flock;
  const auto each =
      flock.start({"run", "--each", "-j", "2", "--shell", "--",
                   "mkdir one 2> one.$1 && d=one || { mkdir two && d=two || touch three; }; "
                   "[ $1 != 20 ] || " +
                       until_file(flock.file("go")) + "touch done.$1; rmdir $d"},
                  numbers(40));
  for (int i = 1; i <= 40; ++i) {
    if (i != 20) flock.wait_for_file("done." + std::to_string(i));
  }
  flock.touch("go");
  EXPECT_EQ(each->finish().code, 0);
  EXPECT_FALSE(std::filesystem::exists(flock.file("three")));
  EXPECT_EQ(flock.json({"ps", "-a"})["runs"].as_array().size(), 40U);
}

// H10, S1: if the daemon is killed, --each waits for the next one; no input is lost and none runs
// twice.
TEST(Each, SurvivesAKilledDaemon) {
  Flock flock;
  flock.daemon();
  const auto each =
      flock.start({"run", "--each", "-j", "4", "--shell", "--", "echo x >> done.$1"}, numbers(300));
  for (const char* i : {"50", "150", "250"}) {
    flock.wait_for_file("done." + std::string(i));
    flock.kill_daemon();
  }
  const Output out = each->finish();
  EXPECT_EQ(out.code, 0) << out.err << out.out;
  for (int i = 1; i <= 300; ++i) {
    const auto text = read_file(flock.file("done." + std::to_string(i)), 1000);
    EXPECT_EQ(text.value_or(""), "x\n") << i;
  }
  EXPECT_EQ(flock.json({"ps", "-a"})["runs"].as_array().size(), 300U);
  flock.expect_verified();
}

// S1: repeating --each with the caller's own key starts no run again.
TEST(Each, ARepetitionWithTheSameKeyStartsNothing) {
  Flock flock;
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(
        flock
            .drover({"run", "--each", "--key", "nightly", "--shell", "--", "echo x >> done.$1"},
                    numbers(5))
            .code,
        0);
  }
  EXPECT_EQ(*read_file(flock.file("done.3"), 1000), "x\n");
  EXPECT_EQ(flock.json({"ps", "-a"})["runs"].as_array().size(), 5U);
}

// R16: with --detach, all runs are queued in their lane at once and their ids are printed.
TEST(Each, DetachQueuesAllRunsAtOnce) {
  Flock flock;
  flock.ok({"lane", "set", "one", "1"});
  const std::string ids =
      flock.ok({"run", "--each", "-d", "--lane", "one", "--", "/bin/echo"}, numbers(20));
  EXPECT_EQ(std::ranges::count(ids, '\n'), 19);
  flock.ended(ids.substr(ids.size() - 30));
  EXPECT_EQ(text_of(flock.show(ids.substr(0, 30)), "lane"), "one");
}

// S1: on a terminal there is a progress line with a total, and a summary.
TEST(Each, ShowsProgressOnATerminal) {
  Flock flock;
  flock.touch("inputs");
  ASSERT_TRUE(replace_file(flock.file("inputs"), numbers(3)));
  Terminal terminal({std::string(DROVER_BIN) + "/drover", "run", "--each-file", "inputs", "-j", "2",
                     "--shell", "--", "test $1 = 1 || " + until_file(flock.file("go"))},
                    flock.environment, flock.file(""));
  terminal.wait_for("1/3");
  terminal.wait_for("left");
  flock.touch("go");
  EXPECT_EQ(terminal.finish(), 0) << terminal.drawn();
  EXPECT_NE(terminal.drawn().find("3 completed"), std::string::npos) << terminal.drawn();
}

}  // namespace
}  // namespace drover::tests
