#include "triggers/poll/fetch_url.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "triggers/poll/address.h"
#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

using Url = std::unique_ptr<CURLU, decltype([](CURLU* url) { curl_url_cleanup(url); })>;

std::string part_of(const Url& url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, 0) != CURLUE_OK || text == nullptr) return {};
  std::string out(text);
  curl_free(text);
  return out;
}

bool is_private_address(const std::string& host) {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  v4.sin_family = AF_INET;
  v6.sin6_family = AF_INET6;
  if (::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    return !is_public(reinterpret_cast<const sockaddr&>(v4));
  }
  if (::inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    return !is_public(reinterpret_cast<const sockaddr&>(v6));
  }
  return false;
}

}  // namespace

Result<FetchUrl> parse_fetch_url(std::string_view text, bool allow_private) {
  // Not a word of the URL: it may contain a password.
  const auto bad = [](const std::string& problem) { return fail_invalid("url", problem); };
  if (text.size() > kFetchUrlBytesMax) {
    return bad("the URL has " + std::to_string(text.size()) + " bytes; the maximum is " +
               std::to_string(kFetchUrlBytesMax));
  }
  if (std::ranges::any_of(text,
                          [](char c) { return (c & 0x80) == 0 && (c <= ' ' || c == 0x7f); })) {
    return bad("the URL contains a blank or a control character; write a blank as %20");
  }
  const Url url(curl_url());
  if (!url) return fail(ErrorCode::unavailable, "out_of_memory", "not enough memory for a URL");
  const CURLUcode wrong = curl_url_set(url.get(), CURLUPART_URL, std::string(text).c_str(), 0);
  const std::string scheme = part_of(url, CURLUPART_SCHEME);
  if (wrong == CURLUE_UNSUPPORTED_SCHEME ||
      (wrong == CURLUE_OK && scheme != "http" && scheme != "https")) {
    return bad("only http:// and https:// can be polled");
  }
  if (wrong != CURLUE_OK) {
    return bad(std::string("invalid URL: ") + curl_url_strerror(wrong) +
               "; it must look like https://example.org/feed.xml");
  }
  if (!part_of(url, CURLUPART_USER).empty() || !part_of(url, CURLUPART_PASSWORD).empty()) {
    return bad("the URL contains a user or a password: it would be stored and shown; remove it");
  }
  curl_url_set(url.get(), CURLUPART_FRAGMENT, nullptr, 0);
  FetchUrl out{.text = part_of(url, CURLUPART_URL), .host = part_of(url, CURLUPART_HOST)};
  if (out.host.starts_with('[')) out.host = out.host.substr(1, out.host.size() - 2);
  for (char& c : out.host) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (out.host.empty() || out.text.empty()) return bad("the URL has no host");
  if (!allow_private && is_private_address(out.host)) {
    return fail(ErrorCode::invalid, "address_not_allowed",
                bounded(out.host, 80) +
                    " is a private or special address; set allow_private if that is "
                    "intended",
                "url");
  }
  return out;
}

}  // namespace drover::triggers
