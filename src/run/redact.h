// Redaction removes secrets from text before it is stored or shown (R3, H3): first the values of
// the run's own environment (run/secrets.h), then everything that has the form of a secret:
// authorization headers, passwords in URLs, parameters and options with telling names, password
// options of well-known programs, PEM blocks, tokens of well-known services (run/redact_scan.h). It
// would rather hide a harmless word than show a secret. Pure; linear in the length of the text.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/secrets.h"

namespace drover::run {

std::string redact(std::string_view text, const Secrets& secrets = {});

// A command as it may be shown: each argument redacted, also one after its option (--token abc);
// the whole is bounded and valid UTF-8.
std::vector<std::string> redact_command(std::span<const std::string> argv,
                                        const Secrets& secrets = {});

// Labels: also the whole value of one whose name says that it is secret.
std::map<std::string, std::string> redact_labels(const std::map<std::string, std::string>& labels,
                                                 const Secrets& secrets);

}  // namespace drover::run
