#include "cli/explain.h"

#include <unistd.h>

#include <algorithm>

#include "base/fd.h"
#include "base/text.h"
#include "wire/errors.h"

namespace drover::cli {

int exit_code_of(const Error& error) {
  if (error.reason == "no_daemon" || error.reason == "socket_missing") {
    return wire::exit_code::kNoDaemon;
  }
  return wire::form(error.code).exit_code;
}

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || c == '_' || c == '.';
}

// A field name with a dot or an underscore is replaced everywhere in the message. Any other, such
// as "name" or "lane", is replaced only at the start, because it may also be an ordinary word of
// the sentence.
void rename(std::string& message, const Option& option, std::string_view field) {
  const bool is_plain = field.find_first_of("._") == std::string_view::npos;
  for (size_t at = message.find(field); at != std::string::npos; at = message.find(field, at + 1)) {
    const size_t end = at + field.size();
    const bool whole = (at == 0 || (!is_word(message[at - 1]) && message[at - 1] != '-')) &&
                       (end == message.size() || !is_word(message[end]));
    if (whole && (at == 0 || !is_plain))
      message.replace(at, field.size(), "--" + std::string(option.name));
  }
}

}  // namespace

std::vector<Option> typed_options(std::span<const Option> options, const Arguments& arguments) {
  std::vector<Option> out;
  for (const Option& option : options) {
    const bool is_other = std::ranges::any_of(options, [&](const Option& one) {
      return one.field == option.field && !option.field.empty() && arguments.has(one.name);
    });
    if (arguments.has(option.name) || !is_other) out.push_back(option);
  }
  return out;
}

Error in_options(Error error, std::span<const Option> options) {
  for (const Option& option : options) {
    if (option.field.empty()) continue;
    rename(error.message, option, option.field);
    // A room names its own field: "allow_private" for "source.allow_private".
    const std::string_view part = option.field.substr(option.field.rfind('.') + 1);
    if (part != option.field && part.contains('_')) rename(error.message, option, part);
  }
  for (const Option& option : options) {
    const std::string name = "--" + std::string(option.name);
    const bool blamed =
        !option.field.empty() && option.takes != Takes::nothing && error.param == option.field;
    if (blamed && error.message.find("--") == std::string::npos) {
      error.message.insert(0, name + ": ");
    }
  }
  return error;
}

int explain(const Error& error, Screen& screen, bool json) {
  if (json) {
    screen.erase_progress();
    (void)write_all(STDERR_FILENO, escape_controls(wire::envelope(error, "")) + "\n");
  } else {
    screen.notice(error.message);
  }
  return exit_code_of(error);
}

}  // namespace drover::cli
