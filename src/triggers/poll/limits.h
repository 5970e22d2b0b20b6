// The bounds of polling feeds and pages, each with its reason.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace drover::triggers {

// --- fetching -----------------------------------------------------------------------------------

// The longest URL that browsers and servers commonly accept.
inline constexpr size_t kFetchUrlBytesMax = 2048;
// Large podcast feeds have 2 to 3 MiB. The bound holds for the decompressed body.
inline constexpr size_t kFetchBytesMax = 4 * 1024 * 1024;
// Servers send 1 to 8 KiB; a redirect counts again.
inline constexpr size_t kFetchHeaderBytesMax = 64 * 1024;
// An address that moved twice and switched to https needs 3.
inline constexpr long kFetchRedirectsMax = 5;
// A feed on a slow line takes a few seconds. The first bound is for everything, redirects included.
inline constexpr std::chrono::milliseconds kFetchTimeMax{30'000};
inline constexpr std::chrono::milliseconds kFetchConnectTimeMax{10'000};
// A server that sends less than this over that time is stopped before kFetchTimeMax.
inline constexpr long kFetchBytesPerSecondMin = 64;
inline constexpr std::chrono::seconds kFetchSlowTimeMax{10};
// Polls are not urgent: a few at once keep sockets, memory (8 bodies) and name lookups bounded.
inline constexpr size_t kFetchesMax = 8;
// Many feeds of one publisher must not look like an attack on it.
inline constexpr size_t kFetchesPerHostMax = 2;
// Each waiting one is a suspended coroutine and its request. Beyond, the caller backs off.
inline constexpr size_t kFetchesWaitingMax = 10'000;
// An ETag is a hash in practice. A longer validator is ignored: the next poll is unconditional.
inline constexpr size_t kValidatorBytesMax = 512;
inline constexpr size_t kContentTypeBytesMax = 128;

// --- feeds --------------------------------------------------------------------------------------

inline constexpr size_t kFeedBytesMax = kFetchBytesMax;
// Elements, comments and so on: about 64 bytes of memory each. A real feed has one per 50 bytes.
inline constexpr size_t kFeedNodesMax = 400'000;
// RSS needs 4 levels; XHTML inside Atom a few dozen.
inline constexpr int kFeedDepthMax = 256;
// Feeds have 10 to 300 items; the rest of a longer one is old.
inline constexpr size_t kFeedItemsMax = 1000;
inline constexpr size_t kFeedIdBytesMax = 2048;  // Ids are URLs.
inline constexpr size_t kFeedTitleBytesMax = 512;
// The run gets it in DROVER_TRIGGER: enough to decide by, without the whole article.
inline constexpr size_t kFeedSummaryBytesMax = 2048;
// Twice what a feed can contain: an item that leaves a full feed and returns soon is not new.
inline constexpr size_t kKnownItemsMax = 2 * kFeedItemsMax;

// --- pages --------------------------------------------------------------------------------------

// Parsing takes 0.2 s for this much. Pages with embedded scripts and data have up to 2 MiB.
inline constexpr size_t kPageBytesMax = 2 * 1024 * 1024;
// Gumbo takes time proportional to the depth for each tag and, below <i> and <b>, each character.
// Browsers stop nesting at 512.
inline constexpr int kPageDepthMax = 512;
// Gumbo compares each attribute with all others of its tag, and allocates six times for each.
inline constexpr size_t kPageAllocationsPerNodeMax = 5'000;
// Gumbo needs 10 to 20 times the size of a page.
inline constexpr size_t kPageMemoryMax = 64 * 1024 * 1024;
// The text that the run gets; the hash is of the whole text.
inline constexpr size_t kPageTextBytesMax = 64 * 1024;
inline constexpr size_t kSelectorBytesMax = 512;
// Simple selectors with a combinator between them; the matcher keeps a 64-bit set of them.
inline constexpr size_t kSelectorStepsMax = 64;

// --- when ---------------------------------------------------------------------------------------

// Publishers block clients that ask more often than once a minute.
inline constexpr std::int64_t kPollIntervalMinMs = 60'000;
inline constexpr std::int64_t kPollIntervalDefaultMs = 15 * 60'000;
// A longer one is a mistake of units.
inline constexpr std::int64_t kPollIntervalMaxMs = 30LL * 24 * 3'600'000;
// After errors: a feed that was repaired in the morning is read on the same day.
inline constexpr std::int64_t kPollBackoffMaxMs = 6LL * 3'600'000;
// The pause that a server requests, in Retry-After or in a feed's ttl. A typing error there must
// not silence a feed.
inline constexpr std::int64_t kServerPauseMaxMs = 24LL * 3'600'000;
// Spreads polls that would start together: a tenth of the wait, at most this.
inline constexpr std::int64_t kPollJitterMaxMs = 5 * 60'000;
// Errors in a row are counted up to this; the wait is at its maximum long before.
inline constexpr size_t kPollErrorBytesMax = 500;  // A sentence.
inline constexpr int kPollErrorsMax = 1000;
// Enough for kKnownItemsMax keys of 20 digits and the validators.
inline constexpr size_t kPollStateBytesMax = 128 * 1024;

}  // namespace drover::triggers
