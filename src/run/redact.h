// Redaction removes secrets from text before it is stored or shown (R3, H3). It replaces the values
// it is given, and everything that has the form of a secret: authorization headers, passwords in
// URLs, parameters and options with telling names, PEM blocks, tokens of well-known services. It
// would rather hide a harmless word than show a secret. Pure; linear in the length of the text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drover::run {

inline constexpr std::string_view kRedacted = "[redacted]";

std::string redact(std::string_view text, std::span<const std::string> secrets = {});

// A command as it may be shown: each argument redacted, also one after its option (--token abc);
// the whole is bounded and valid UTF-8.
std::vector<std::string> redact_command(std::span<const std::string> argv,
                                        std::span<const std::string> secrets = {});

// Whether a variable, option or parameter of this name holds a secret: API_TOKEN, --password.
bool names_a_secret(std::string_view name);

// The values of "NAME=value" variables whose names say that they are secret. Short values are left
// out: they would hide ordinary words.
std::vector<std::string> secret_values(std::span<const std::string> environment);

}  // namespace drover::run
