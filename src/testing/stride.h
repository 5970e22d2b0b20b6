// How far apart the places are that a test of many places tries: each of them; under a sanitizer,
// where everything takes several times as long, every seventh.
#pragma once

namespace drover::testing {

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr int kStride = 7;
#else
inline constexpr int kStride = 1;
#endif

}  // namespace drover::testing
