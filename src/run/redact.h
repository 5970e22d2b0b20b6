// Redaction: the one function that takes secrets out of text before it is kept or told
// (R3, H3). It knows values it is given, and shapes that secrets have: authorization headers,
// passwords in URLs, parameters and options with telling names, PEM blocks, tokens of well-known
// makers. It would rather hide a harmless word than show a secret. Pure; linear in the text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drover::run {

inline constexpr std::string_view kRedacted = "[redacted]";

std::string redact(std::string_view text, std::span<const std::string> secrets = {});

// A command as it may be shown: each argument redacted, also one that follows its option
// (--token abc), all of it bounded and valid UTF-8.
std::vector<std::string> redact_command(std::span<const std::string> argv,
                                        std::span<const std::string> secrets = {});

// Whether a variable, option or parameter of this name holds a secret: API_TOKEN, --password.
bool names_a_secret(std::string_view name);

// The values of "NAME=value" variables whose name says so; too short ones would hide ordinary
// words.
std::vector<std::string> secret_values(std::span<const std::string> environment);

}  // namespace drover::run
