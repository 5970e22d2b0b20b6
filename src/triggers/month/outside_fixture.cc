#include "triggers/month/outside_fixture.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <boost/json/serialize.hpp>

namespace drover::triggers::month {
namespace {

namespace json = boost::json;

std::string feed_with(int items) {
  std::string out = "<rss version=\"2.0\"><channel><title>news</title>";
  for (int i = items; i > 0; --i) {
    out += "<item><guid>item-" + std::to_string(i) + "</guid><title>news</title></item>";
  }
  return out + "</channel></rss>";
}

}  // namespace

std::string Outside::payload(int number, int digit) {
  json::object out{{"number", number}, {"digit", digit}};
  if (number % 16 == 7) out["filling"] = std::string(40'000, 'x');
  return json::serialize(out);
}

std::string Outside::request(const PostedToLog& event) {
  const std::string key = event.key.empty() ? "" : R"(,"dedup_key":")" + event.key + "\"";
  return R"({"type":")" + event.type + "\"" + key + R"(,"payload":)" +
         payload(event.number, event.digit) + "}";
}

Result<Fetched> Outside::answer(const FetchRequest& request, std::uint64_t seed, WallMs now,
                                bool calm) const {
  const std::string hour = request.url + std::to_string(now / kHourMs);
  if (!calm && mix(seed, hour) % 6 == 0) {
    return fail(ErrorCode::unavailable, "unreachable", "nobody answers");
  }
  const auto found = published.find(request.url);
  const int count = found == published.end() ? 0 : found->second;
  const std::string tag = "\"" + std::to_string(count) + "\"";
  if (request.etag == tag) return Fetched{.not_modified = true, .etag = tag};
  const std::string page = "<html><body><p>version-" + std::to_string(count) + "</p></body></html>";
  return Fetched{.body = request.url.contains("/page") ? page : feed_with(count), .etag = tag};
}

std::string hook_signature(std::string_view body) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), kHookSecret.data(), static_cast<int>(kHookSecret.size()),
       reinterpret_cast<const unsigned char*>(body.data()), body.size(), digest.data(), &size);
  std::string out = "sha256=";
  for (unsigned int i = 0; i < size; ++i) {
    out += "0123456789abcdef"[digest[i] >> 4];
    out += "0123456789abcdef"[digest[i] & 15];
  }
  return out;
}

}  // namespace drover::triggers::month
