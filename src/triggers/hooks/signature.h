// Verifies that a webhook request comes from somebody who knows the hook's secret: an HMAC-SHA256
// over the raw bytes of the body. Three styles of headers are known; the first one that is present
// decides, and a request in several styles is not checked in the others:
//
//   Standard Webhooks  webhook-id, webhook-timestamp (seconds), webhook-signature: a list of
//                      `v1,<base64>` separated by blanks, over `id.timestamp.body`. The timestamp
//                      must be within kHookToleranceMs of now.
//   GitHub             X-Hub-Signature-256: sha256=<hex>
//   X-Signature        X-Signature: <hex>, or sha256=<hex>
//
// Any of several secrets is accepted, so that a secret can be rotated. A secret that begins with
// `whsec_` is base64 in the first style; in the others, and without the prefix, its bytes are the
// key. Everything doubtful fails: a header that is repeated, folded over lines or joined by a
// proxy, an id with a dot, too many signatures, no secret. Comparison takes constant time. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace drover::triggers {

struct HookRequest {
  // Every value of a header, in the order of the request. Names are given in lower case; the lookup
  // must ignore case. The values must stay valid during the call.
  std::function<std::vector<std::string_view>(std::string_view name)> headers;
  std::string_view body;  // As received.
  WallMs now = 0;
};

enum class HookStyle : std::uint8_t { standard_webhooks, github, x_signature };

struct HookIdentity {
  HookStyle style = HookStyle::standard_webhooks;
  // Two requests of one hook with the same key are the same delivery: "id:<webhook-id>", else
  // "delivery:<X-GitHub-Delivery>", else "signature:<hex>". Only in Standard Webhooks the signature
  // covers the id; in the other styles a recorded request could be sent again with another id, as
  // the style itself allows.
  std::string replay_key;
};

// Errors have the code `invalid` and one of the reasons `signature_missing`, `signature_invalid`,
// `timestamp_missing` and `timestamp_out_of_tolerance`, which are all HTTP 401; or the code
// `unavailable` and the reason `no_secret`. `param` is the header. No error contains a secret or
// the expected signature.
Result<HookIdentity> verify_hook(const HookRequest& request, std::span<const std::string> secrets);

// Refuses a request that is not signed, as verify_hook does, before its body is there.
Result<> check_signed(const HookRequest& request);

// Whether a secret begins with `whsec_` and the rest is not base64 of a key. verify_hook never
// accepts it in the style Standard Webhooks.
bool is_malformed_secret(std::string_view secret);

}  // namespace drover::triggers
