// The limits of webhooks, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drover::triggers {

inline constexpr size_t kHookPathBytesMax = 128;  // A name and a team; it is part of a URL.
// Segments of a path: a service, an organization, a repository, a branch; deeper ones are
// generated.
inline constexpr size_t kHookSegmentsMax = 8;
// How old or how far in the future a signed timestamp may be: the value of Standard Webhooks.
inline constexpr std::int64_t kHookToleranceMs = 300'000;
// Digits of a timestamp in seconds: enough for 30,000 years, and no overflow in milliseconds.
inline constexpr size_t kHookTimestampDigitsMax = 12;
inline constexpr size_t kHookIdBytesMax = 256;       // Senders use uuids and ULIDs.
inline constexpr size_t kHookSignaturesMax = 16;     // In one header: one or two during a rotation.
inline constexpr size_t kHookSecretsMax = 8;         // Each costs one HMAC over the body.
inline constexpr size_t kSecretBytesMax = 4 * 1024;  // Of the whole file or variable.
inline constexpr size_t kSecretNameBytesMax = 256;   // The name of an environment variable.

}  // namespace drover::triggers
