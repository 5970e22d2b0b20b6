// Checks the form of errors, notices and lines of the daemon's log, from the calls that make them:
// a small letter first, no period at the end, no blanks too many.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "cmd/literals.h"

namespace drover::literals {
namespace {

namespace fs = std::filesystem;

struct Call {
  std::string_view name;
  size_t argument = 0;  // The message among its arguments.
};

constexpr auto kCalls = std::to_array<Call>({
    {"fail_invalid", 1},
    {"fail_errno", 0},
    {"fail", 2},
    {"notice", 0},
    {"log::info", 0},
    {"log::warn", 0},
    {"log::error", 0},
});

// Names that begin with a capital letter.
constexpr auto kNames = std::to_array<std::string_view>({"OpenSSL", "Idempotency-Key"});

// The arguments of the call whose parenthesis is at `at`. Empty: it is not closed.
std::vector<std::string> arguments_at(std::string_view source, size_t at) {
  std::vector<std::string> out(1);
  int depth = 0;
  bool inside = false;  // A literal.
  for (; at < source.size(); ++at) {
    const char c = source[at];
    if (inside && c == '\\') {
      out.back().append(source.substr(at++, 2));
      continue;
    }
    if (c == '"') inside = !inside;
    if (!inside && (c == '(' || c == '{' || c == '[') && depth++ == 0) continue;
    if (!inside && (c == ')' || c == '}' || c == ']') && --depth == 0) return out;
    if (!inside && c == ',' && depth == 1) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return {};
}

struct Message {
  std::string first;  // The literal that it begins with; empty: it begins with a value.
  std::string last;   // The literal that it ends with; empty: it ends with a value.
};

std::optional<Message> message_of(std::string text) {
  text.erase(0, text.find_first_not_of(" \n"));
  text.erase(text.find_last_not_of(" \n") + 1);
  if (text.starts_with("fmt::format(")) {
    const auto arguments = arguments_at(text, text.find('('));
    return arguments.empty() ? std::nullopt : message_of(arguments.front());
  }
  const auto all = read_literals(text);
  if (all.empty()) return std::nullopt;
  return Message{text.starts_with('"') ? all.front().text : "",
                 text.ends_with('"') ? all.back().text : ""};
}

std::vector<std::string> violations(const Message& message) {
  std::vector<std::string> out;
  const auto upper = [&](size_t i) {
    return i < message.first.size() &&
           std::isupper(static_cast<unsigned char>(message.first[i])) != 0;
  };
  const std::string word = message.first.substr(0, message.first.find_first_of(" ,:"));
  const bool is_name = std::ranges::find(kNames, word) != kNames.end();
  if (upper(0) && !upper(1) && word.size() > 1 && !is_name) {
    out.push_back("it begins with a capital letter: " + message.first);
  }
  if (!message.last.empty() && std::string_view(". ,;!").contains(message.last.back())) {
    out.push_back("it ends with a period, a comma or a blank: " + message.last);
  }
  for (const std::string& text : {message.first, message.last}) {
    if (text.contains("  ")) out.push_back("it has two blanks: " + text);
  }
  return out;
}

// The first and the last text of a message are read from the arguments of a call.
TEST(Messages, AreReadFromCalls) {
  const std::string source =
      "log::warn(id, \"a, {}\", b(c, d));\nreturn fail_invalid(\"f\", \"bad \\\")\" + text);\n";
  EXPECT_EQ(arguments_at(source, source.find('(')),
            (std::vector<std::string>{"id", " \"a, {}\"", " b(c, d)"}));
  const auto message = message_of(arguments_at(source, source.find("(\"f"))[1]);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->first, "bad \")");
  EXPECT_EQ(message->last, "");
  EXPECT_EQ(message_of(" fmt::format(\"a {}\", b)")->last, "a {}");
}

// A message begins without a capital letter, ends without a period and has single blanks.
TEST(Messages, HaveAForm) {
  EXPECT_TRUE(violations({"the run ", "was removed"}).empty());
  EXPECT_TRUE(violations({"TRACEPARENT is invalid", "is invalid"}).empty());
  EXPECT_EQ(violations({"The run", "was removed."}).size(), 2U);
  EXPECT_EQ(violations({"the  run", "was removed "}).size(), 2U);
}

// Every error, notice and line of the log follows the rules.
TEST(Messages, FollowTheRules) {
  std::map<std::string_view, size_t> checked;
  const fs::path root = fs::path(DROVER_SOURCES).parent_path();
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    const std::string path = entry.path().lexically_relative(root);
    if (!path.ends_with(".h") && !path.ends_with(".cc")) continue;
    if (path.contains("_test.") || path.contains("_fixture.") || path.contains("testing/") ||
        path.contains("_contract.") || path.contains("/fake_")) {
      continue;
    }
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string source(std::istreambuf_iterator<char>(in), {});
    for (const Call& call : kCalls) {
      const std::string text = std::string(call.name) + "(";
      for (size_t at = source.find(text); at != std::string::npos; at = source.find(text, at + 1)) {
        const char before = at == 0 ? ' ' : source[at - 1];
        if (std::isalnum(static_cast<unsigned char>(before)) != 0 || before == '_') continue;
        const auto arguments = arguments_at(source, at + call.name.size());
        size_t index = call.argument;
        const bool is_log = call.name.starts_with("log::");
        if (is_log && !arguments.empty() && !arguments.front().contains('"')) ++index;  // About.
        if (index >= arguments.size()) continue;
        const auto message = message_of(arguments[index]);
        if (!message) continue;
        ++checked[call.name];
        EXPECT_EQ(violations(*message), std::vector<std::string>())
            << path << ":"
            << std::count(source.begin(), source.begin() + static_cast<long>(at), '\n') + 1;
      }
    }
  }
  for (const Call& call : kCalls) EXPECT_GE(checked[call.name], 3U) << call.name;
  EXPECT_GE(checked["fail"], 100U);
  EXPECT_GE(checked["notice"], 40U);
}

}  // namespace
}  // namespace drover::literals
