#include "inbox/request_body.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "base/clock.h"
#include "inbox/limits.h"
#include "requests/fields.h"

namespace drover::inbox {
namespace {

using requests::Fields;

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// A text for people: not empty, without NUL, of a bounded size.
Result<> check_text(std::string_view field, std::string_view text, size_t bytes_max) {
  if (is_blank(text)) {
    return fail_invalid(std::string(field), std::string(field) + " must not be empty");
  }
  if (text.size() > bytes_max) {
    return fail_invalid(std::string(field), std::string(field) + " is too long: the maximum is " +
                                                std::to_string(bytes_max) + " bytes");
  }
  if (text.contains('\0')) {
    return fail_invalid(std::string(field), std::string(field) + " must not contain a NUL");
  }
  return {};
}

Result<> check_choices(const std::vector<std::string>& choices) {
  if (choices.size() > kChoicesMax) {
    return fail_invalid("choices",
                        "a question has at most " + std::to_string(kChoicesMax) + " choices");
  }
  for (size_t i = 0; i < choices.size(); ++i) {
    if (auto ok = check_text("choices", choices[i], kChoiceBytesMax); !ok) return ok;
    const bool is_line = std::ranges::all_of(
        choices[i], [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; });
    if (!is_line) return fail_invalid("choices", "a choice must be one line of text");
    if (std::find(choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(i), choices[i]) !=
        choices.begin() + static_cast<std::ptrdiff_t>(i)) {
      return fail_invalid("choices", "the choice " + choices[i] + " occurs twice");
    }
  }
  return {};
}

// "1h", or "never".
Result<std::optional<WallMs>> deadline_in(const std::string& timeout, WallMs now) {
  if (timeout == "never") return std::nullopt;
  if (timeout.empty()) return now + kTimeoutMs;
  const auto ms = parse_duration_ms(timeout, "timeout");
  if (!ms) return std::unexpected(ms.error());
  if (*ms < 1 || *ms > kTimeoutMaxMs) {
    return fail_invalid("timeout", "timeout must be between 1ms and 366d, or never");
  }
  return now + *ms;
}

void read_data(Fields& fields, Entry& entry) {
  const boost::json::value* data = fields.take("data");
  if (data == nullptr || data->is_null()) return;
  entry.data = boost::json::serialize(*data);
  if (entry.data.size() > kDataBytesMax) {
    fields.refuse("data",
                  "data is too large: the maximum is " + std::to_string(kDataBytesMax) + " bytes");
  }
}

// The fields that a question has besides its text.
Result<> read_rest(Fields& fields, Entry& entry, WallMs now) {
  std::string timeout;
  fields.texts("choices", entry.choices);
  fields.text("context", entry.context);
  fields.text("timeout", timeout);
  fields.flag("waits", entry.waits);
  read_data(fields, entry);
  if (auto ok = fields.finish(); !ok) return ok;
  if (auto ok = check_choices(entry.choices); !ok) return ok;
  if (!entry.context.empty()) {
    if (auto ok = check_text("context", entry.context, kContextBytesMax); !ok) return ok;
  }
  auto deadline = deadline_in(timeout, now);
  if (!deadline) return std::unexpected(deadline.error());
  entry.deadline = *deadline;
  return {};
}

}  // namespace

Result<Entry> read_question(std::string_view body, WallMs now) {
  Fields fields(body);
  Entry entry{.type = Type::escalation, .at = now};
  fields.text("question", entry.text);
  if (auto ok = read_rest(fields, entry, now); !ok) return std::unexpected(ok.error());
  if (auto ok = check_text("question", entry.text, kTextBytesMax); !ok) {
    return std::unexpected(ok.error());
  }
  return entry;
}

Result<Entry> read_report(std::string_view body, WallMs now) {
  Fields fields(body);
  Entry entry{.type = Type::output, .at = now};
  std::vector<std::string_view> names;
  for (const Type type : kTypes) names.push_back(name(type));
  size_t type = kTypes.size();
  fields.choice("type", names, type);
  fields.text("summary", entry.text);
  if (type < kTypes.size()) entry.type = kTypes[type];
  if (entry.is_question()) {
    std::string question;
    fields.text("question", question);
    if (auto ok = read_rest(fields, entry, now); !ok) return std::unexpected(ok.error());
    if (!question.empty()) entry.text = std::move(question);
  } else {
    read_data(fields, entry);
    if (auto ok = fields.finish(); !ok) return std::unexpected(ok.error());
  }
  if (type == kTypes.size()) {
    return fail_invalid("type", "give the type of the report: type");
  }
  if (auto ok = check_text("summary", entry.text, kTextBytesMax); !ok) {
    return std::unexpected(ok.error());
  }
  return entry;
}

Result<Answer> read_answer(std::string_view body) {
  Fields fields(body);
  Answer answer;
  fields.text("choice", answer.choice);
  fields.text("text", answer.text);
  if (auto ok = fields.finish(); !ok) return std::unexpected(ok.error());
  if (answer.choice.empty() && answer.text.empty()) {
    return fail_invalid("choice", "give an answer: choice or text");
  }
  if (!answer.text.empty()) {
    if (auto ok = check_text("text", answer.text, kAnswerBytesMax); !ok) {
      return std::unexpected(ok.error());
    }
  }
  return answer;
}

Result<> check_key(std::string_view key) {
  const bool is_good = !key.empty() && key.size() <= kKeyBytesMax &&
                       std::ranges::all_of(key, [](char c) { return c > ' ' && c < '\x7f'; });
  if (is_good) return {};
  return fail_invalid("Idempotency-Key", "Idempotency-Key must have 1 to " +
                                             std::to_string(kKeyBytesMax) +
                                             " printable characters without blanks");
}

}  // namespace drover::inbox
