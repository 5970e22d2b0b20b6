#include "play/diagnostic_scan.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "play/limits.h"

namespace drover::play {
namespace {

constexpr const char* kBlocks = R"({"severity":"error","message":"no exit","blocking":true})";

// "blocks: …" with the message, "unreadable: …" with the reason, or "passes"; `pieces` bytes at a
// time.
std::string verdict(const std::string& output, size_t pieces = 4096) {
  DiagnosticScan scan;
  std::optional<BlockingFinding> found;
  for (size_t at = 0; at < output.size() && !found; at += pieces) {
    found = scan.take(std::string_view(output).substr(at, pieces));
  }
  if (!found) found = scan.end();
  if (!found) return "passes";
  return found->diagnostic ? "blocks: " + found->diagnostic->message : "unreadable: " + found->why;
}

// P1: a blocking diagnostic is found wherever it begins a line, with any bytes in and around it.
TEST(DiagnosticScan, FindsABlockingDiagnosticWithAnyBytes) {
  const std::string blocks = kBlocks;
  std::string wide;  // As UTF-16.
  for (const char c : blocks) wide += std::string{c, '\0'};
  for (const std::string& output : std::vector<std::string>{
           blocks,
           blocks + "\n",
           "checking\n" + blocks + "\nok\n",
           "  \t" + blocks,
           "\xef\xbb\xbf" + blocks,
           "\xff\xfe" + wide,
           "\r" + blocks,
           "10%\r100%\r" + blocks + "\r\n",
           "\x1b[1;31m" + blocks + "\x1b[0m\n",
           "\x1b]8;;http://x\x1b\\" + blocks,
           "\x1b]0;title\x07" + blocks,
           std::string("\0\0", 2) + blocks,
           blocks + " tail",
           blocks + blocks,
           R"({"severity":"info","message":"m"})" + blocks,
           "[" + blocks + "]",
           "[\n  {\"a\":1},\n  " + blocks + "\n]\n",
           "{\n" + blocks,
           "{ not json\n" + blocks,
           "{\"a\":\n" + blocks + "\n}",
           "{\"unfinished\n" + blocks,
           R"({"report":{"all":[)" + blocks + "]}}",
           "{\x1b[34m\"severity\"\x1b[0m: \"error\",\r\n\x1b[34m\"message\"\x1b[0m: \"no exit\",\n"
           "  \"blocking\": true\n}\n",
           "{\n  \"severity\": \"error\",\n  \"message\": \"no exit\",\n  \"blocking\": "
           "true,\n}\n",
           "\x1b(B\x1b[m" + blocks,
           R"({"severity":"error","message":"no exit","block)"
           "\x1b(B"
           R"(ing":true})",
           R"({"blocking":true,"diagnostics":[{"severity":"error","message":"no exit"}]})",
           R"({"diagnostics":[{"severity":"error","message":"no exit"}],"blocking":true})",
           R"({"severity":"error","message":"no exit","blocking":true,"blocking":false})",
           R"({"severity":"error","message":"no exit","blocking":false,"blocking":true})",
           R"({"score":NaN,"severity":"error","message":"no exit","blocking":true})",
           R"({"text":"{\"severity\":\"error\",\"message\":\"no exit\",\"blocking\":true}"})",
           R"({"blocking":true,"report":"[{\"severity\":1,\"message\":\"no exit\"}]"})",
           "{ // checked\n" + blocks + "\n}",
           "{\"a\": 1 /*\n" + blocks + "\n*/}\n",
           "{\"a\": 1 /* } */, \"b\": " + blocks + "}"}) {
    for (const size_t pieces : {size_t{1}, size_t{7}, size_t{4096}}) {
      EXPECT_EQ(verdict(output, pieces), "blocks: no exit") << output;
    }
  }
  for (const char* odd : {"\xff", "\r", "\t", "\x01", "\x1b[31m", "\xf0\x28\x8c\x28"}) {
    const std::string output =
        R"({"severity":"error","blocking":true,"message":"no)" + std::string(odd) + "exit\"}\n";
    EXPECT_TRUE(verdict(output).starts_with("blocks: no")) << output;
  }
}

// P1: a diagnostic that does not have the expected types blocks all the same.
TEST(DiagnosticScan, BlocksWithOddFields) {
  EXPECT_EQ(verdict(R"({"severity":2,"message":"no exit","blocking":true})"), "blocks: no exit");
  EXPECT_EQ(verdict(R"({"severity":"error","blocking":true})"),
            "blocks: a diagnostic without a message");
}

// P1: what may be a blocking diagnostic and cannot be read blocks, and the reason names the line.
TEST(DiagnosticScan, BlocksWhatItCannotRead) {
  const std::string deep(kDiagnosticNestingMax + 1, '[');
  for (const std::string& output : std::vector<std::string>{
           R"({"severity":"error","message":"no exit","blocking":tr)",
           R"({"severity":"error","mess)",
           R"({"message":"no)",
           "{\n  \"severity\": \"error\",\n",
           R"({"severity":"error","message":no exit})",
           R"({"severity":"error" "message":"m"})",
           R"({"severity":"error","message":"m","x":)" + deep,
           "{\n\"message\": oops,\n\"blocking\": true\n}\n",
           "{\"message\":\"two\nlines\",\"severity\":\"error\",\"blocking\":true}\n",
           "{'severity': 'error', 'message': 'm', 'blocking': True}\n",
           "{ severity: 'error', message: 'no exit', blocking: true }\n",
           "{severity: \"error\", message: \"no exit\", blocking: true}\n",
           "{:severity=>\"error\", :message=>\"no exit\", :blocking=>true}\n",
           "{\"severity\" => \"error\", \"blocking\" => true}\n",
           "{\n  severity: 'error',\n  at: {\n    line: 3\n  },\n  message: 'no {',\n  blocking: "
           "true\n}\n",
           "[\n  {\n    severity: 'error',\n    blocking: true\n  }\n]\n",
           "Diagnostic { severity: Error, message: \"no exit\", blocking: true }\n",
           R"("{\"severity\":\"error\",\"message\":\"no exit\",\"blocking\":true}")",
           R"("{\\\"severity\\\":\\\"error\\\",\\\"blocking\\\":true}")",
           "{\"severity\":\"error\",\"message\":\"m\" // \"blocking\":true\n}\n",
           std::string("12:00 ") + kBlocks,
           std::string("x {\"a\":1} ") + kBlocks,
           "\x1b]8;;" + std::string(kBlocks)}) {
    for (const size_t pieces : {size_t{1}, size_t{4096}}) {
      EXPECT_TRUE(verdict("ok\n" + output, pieces).starts_with("unreadable: line ")) << output;
    }
  }
  EXPECT_TRUE(verdict("ok\n\n{\"severity\":oops}\n").starts_with("unreadable: line 3 "));
}

// P1: an object is read up to the limit, and a longer one blocks.
TEST(DiagnosticScan, ReadsUpToTheLimit) {
  const std::string head = R"({"severity":"error","message":"no exit","x":")";
  const std::string tail = R"(","blocking":true})";
  const auto object = [&](size_t bytes) {
    return head + std::string(bytes - head.size() - tail.size(), 'x') + tail;
  };
  EXPECT_EQ(verdict(object(kDiagnosticBytesMax)), "blocks: no exit");
  EXPECT_TRUE(verdict(object(kDiagnosticBytesMax + 1)).contains("more than 1048576 bytes"));
  // A long ordinary line is searched to its end.
  const std::string line(kDiagnosticBytesMax + 100, '.');
  EXPECT_EQ(verdict(line + "\n" + line), "passes");
  EXPECT_TRUE(verdict(line + " \"blocking\": true").starts_with("unreadable: "));
}

// P1: ordinary output does not block: text, braces, other JSON, diagnostics that do not block.
TEST(DiagnosticScan, LeavesOrdinaryOutputAlone) {
  for (const std::string& output :
       std::vector<std::string>{"",
                                "\n",
                                "checking 3 levels\n",
                                "{",
                                "{\n",
                                "{}",
                                "}\n}",
                                "[1]\n",
                                "[info] {x}\n",
                                "{not json}\n",
                                "{{ template }}\n",
                                "{\n  int x;\n}\n",
                                "if (x) {\n  \"text\"\n}\n",
                                "{\"a\": 1}\n",
                                "{\n  \"a\": [1, 2, {\"b\": null}]\n}\n",
                                "{\"a\": oops}\n",
                                R"({"severity":"error","message":"m"})",
                                R"({"severity":"error","message":"m"} tail)",
                                R"(x {"severity":"error","message":"m"})",
                                R"({"severity":"error","message":"m","blocking":false})",
                                R"({"severity":"error","message":"m","blocking":"true"})",
                                R"({"severity":"error","message":"m","blocking":1})",
                                R"({"blocking":true,"port":80})",
                                "the field \"blocking\" is new\n",
                                "\"blocking\": false\n",
                                "blocking: true\n",
                                "{\n  x: 1\n}\nblocking: true\n",
                                "{ blocking: false }\n",
                                "{ nonblocking: true }\n",
                                "{ note: 'blocking: the door' }\n",
                                R"({"severity":"error","message":"m","score":NaN})",
                                R"({"severity":"error","message":"m","x":[-Infinity, Infinity]})",
                                R"({"severity":"error","message":"lone \ud83d"})",
                                R"({"severity":"error","message":"\udc00\ud83d\ud83d\ude00"})",
                                R"({"severity":"error", /* why */ "message":"m"})",
                                "{\"severity\":\"error\", // why }\n\"message\":\"m\"}\n",
                                R"({"severity":"info","message":"set \"blocking\": true in x"})",
                                R"({"severity":"info","message":"{\"blocking\": true}"})",
                                "{\"severity\":\"error\",\"message\":\"m\x1b(B\"}\x1b(B\n",
                                "\x1b[31mred\x1b[0m\n",
                                "\xff\xfe\x00\n",
                                "\x1b[",
                                "\x1b]0;never finished",
                                std::string(10'000, '['),
                                std::string(10'000, '{')}) {
    for (const size_t pieces : {size_t{1}, size_t{4096}}) {
      EXPECT_EQ(verdict(output, pieces), "passes") << output.substr(0, 80);
    }
  }
}

// A blocking diagnostic on a line of its own blocks whatever is printed before it, and wherever the
// output is cut into pieces.
RC_GTEST_PROP(DiagnosticScanProperty, NothingHidesADiagnostic,
              (const std::string& before, const std::string& after)) {
  const auto pieces = *rc::gen::inRange<size_t>(1, 20);
  RC_ASSERT(verdict(before + "\n" + kBlocks + "\n" + after, pieces) != "passes");
  RC_ASSERT(verdict("{\"" + before + "\n" + kBlocks + "\n" + after, pieces) != "passes");
}

}  // namespace
}  // namespace drover::play
