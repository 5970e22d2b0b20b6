// The step with which a test walks many places: every place; under a sanitizer, which is several
// times slower, every seventh.
#pragma once

namespace drover::testing {

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr int kStride = 7;
#else
inline constexpr int kStride = 1;
#endif

}  // namespace drover::testing
