#include "triggers/poll/transfer.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "base/text.h"
#include "triggers/poll/address.h"

namespace drover::triggers {
namespace {

// Something that a header can carry and a server could have sent.
bool is_validator(const std::string& text) {
  return !text.empty() && text.size() <= kValidatorBytesMax &&
         std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

std::unexpected<Error> too_large(size_t bytes_max) {
  return fail(ErrorCode::exhausted, "too_large",
              "the server sends more than " + grouped(bytes_max) + " bytes");
}

}  // namespace

Transfer::Transfer(const FetchUrl& url, const FetchRequest& request, const FetchLimits& limits,
                   const AddressRule& rule)
    : limits_(limits),
      rule_(rule),
      handle_(curl_easy_init()),
      allow_private_(request.allow_private) {
  if (handle_ == nullptr) {
    is_set_up_ = false;
  } else {
    set_up(url, request);
  }
}

Transfer::~Transfer() {
  if (handle_ != nullptr) curl_easy_cleanup(handle_);
  curl_slist_free_all(headers_);
}

void Transfer::set_up(const FetchUrl& url, const FetchRequest& request) {
  const auto set = [&](CURLoption option, auto value) {
    is_set_up_ = curl_easy_setopt(handle_, option, value) == CURLE_OK && is_set_up_;
  };
  const auto add_header = [&](const std::string& line) {
    curl_slist* longer = curl_slist_append(headers_, line.c_str());
    is_set_up_ = is_set_up_ && longer != nullptr;
    if (longer != nullptr) headers_ = longer;
  };
  set(CURLOPT_URL, url.text.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, limits_.redirects_max);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_FRESH_CONNECT, 1L);
  set(CURLOPT_FORBID_REUSE, 1L);
  set(CURLOPT_SSL_SESSIONID_CACHE, 0L);
  set(CURLOPT_DNS_CACHE_TIMEOUT, 0L);
  set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  set(CURLOPT_NOSIGNAL, 1L);
  // Without it, a transfer that is given up blocks the loop until its name lookup has finished.
  set(CURLOPT_QUICK_EXIT, 1L);
  set(CURLOPT_TIMEOUT_MS, long{limits_.time_max.count()});
  set(CURLOPT_CONNECTTIMEOUT_MS, long{limits_.connect_time_max.count()});
  set(CURLOPT_LOW_SPEED_LIMIT, limits_.bytes_per_second_min);
  set(CURLOPT_LOW_SPEED_TIME, long{limits_.slow_time_max.count()});
  set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(limits_.bytes_max));
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_ACCEPT_ENCODING, "gzip");
  set(CURLOPT_USERAGENT, "drover/" DROVER_VERSION);
  set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
  set(CURLOPT_XFERINFODATA, this);
  set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_socket);
  set(CURLOPT_OPENSOCKETDATA, this);
  if (is_validator(request.etag)) add_header("If-None-Match: " + request.etag);
  if (is_validator(request.last_modified))
    add_header("If-Modified-Since: " + request.last_modified);
  is_conditional_ = headers_ != nullptr;
  set(CURLOPT_HTTPHEADER, headers_);
}

Result<CURL*> Transfer::handle() const {
  if (is_set_up_) return handle_;
  return fail(ErrorCode::unavailable, "fetch_failed", "libcurl refuses a setting of the fetch");
}

// --- called by libcurl: no exception may leave these
// ----------------------------------------------

size_t Transfer::on_body(char* bytes, size_t one, size_t count, void* self) try {
  auto& transfer = *static_cast<Transfer*>(self);
  const size_t size = one * count;
  if (size > transfer.limits_.bytes_max - transfer.body_.size()) {
    transfer.is_too_large_ = true;
    return 0;
  }
  transfer.body_.append(bytes, size);
  return size;
} catch (...) {
  return 0;
}

size_t Transfer::on_header(char*, size_t one, size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.header_bytes_ += one * count;
  if (transfer.header_bytes_ <= transfer.limits_.header_bytes_max) return one * count;
  transfer.is_too_large_ = true;
  return 0;
}

// Also sees the bodies of redirects, which on_body does not get.
int Transfer::on_progress(void* self, curl_off_t, curl_off_t received, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(self);
  if (received <= static_cast<curl_off_t>(transfer.limits_.bytes_max)) return 0;
  transfer.is_too_large_ = true;
  return 1;
}

curl_socket_t Transfer::on_socket(void* self, curlsocktype, curl_sockaddr* address) try {
  auto& transfer = *static_cast<Transfer*>(self);
  if (!transfer.allow_private_ && !transfer.rule_(address->addr)) {
    transfer.refused_ = address_text(address->addr);
    return CURL_SOCKET_BAD;
  }
  transfer.refused_.clear();
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
} catch (...) {
  return CURL_SOCKET_BAD;
}

// --- how it finished
// ------------------------------------------------------------------------------

std::string Transfer::header(const char* name, size_t bytes_max) const {
  curl_header* found = nullptr;
  if (curl_easy_header(handle_, name, 0, CURLH_HEADER, -1, &found) != CURLHE_OK) return {};
  const std::string value = found->value;
  return value.size() <= bytes_max && is_utf8(value) ? value : std::string();
}

Result<Fetched> Transfer::finish(CURLcode code) {
  if (is_too_large_) return too_large(limits_.bytes_max);
  if (code != CURLE_OK) return failed(code);
  long status = 0;
  curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200 && !(status == 304 && is_conditional_)) return bad_status(status);
  Fetched out;
  out.not_modified = status == 304;
  if (!out.not_modified) out.body = std::move(body_);
  out.etag = header("ETag", kValidatorBytesMax);
  out.last_modified = header("Last-Modified", kValidatorBytesMax);
  out.content_type = header("Content-Type", kContentTypeBytesMax);
  char* url = nullptr;
  curl_easy_getinfo(handle_, CURLINFO_EFFECTIVE_URL, &url);
  if (url != nullptr) out.url = bounded(url, kFetchUrlBytesMax);
  return out;
}

std::unexpected<Error> Transfer::bad_status(long status) const {
  auto error = fail(status >= 500 || status == 429 || status == 408 ? ErrorCode::unavailable
                                                                    : ErrorCode::not_found,
                    "http_status", "the server answered with status " + std::to_string(status));
  boost::json::object details{{"status", status}};
  curl_off_t seconds = 0;
  if (curl_easy_getinfo(handle_, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK && seconds > 0) {
    details["retry_after_ms"] = std::min<std::int64_t>(seconds, kServerPauseMaxMs / 1000) * 1000;
  }
  error.error().details = boost::json::serialize(details);
  return error;
}

std::unexpected<Error> Transfer::failed(CURLcode code) const {
  const std::string why = curl_easy_strerror(code);
  long status = 0;
  curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  const auto broken = [&] {
    return fail(ErrorCode::unavailable, "broken_response", "the server's answer is broken: " + why);
  };
  switch (code) {
    case CURLE_HTTP_RETURNED_ERROR:
      return bad_status(status);
    case CURLE_FILESIZE_EXCEEDED:
      return too_large(limits_.bytes_max);
    case CURLE_OPERATION_TIMEDOUT:
      return fail(ErrorCode::unavailable, "too_slow",
                  "the server did not answer completely in time, or sent too slowly");
    case CURLE_TOO_MANY_REDIRECTS:
      return fail(
          ErrorCode::invalid, "too_many_redirects",
          "the server redirects more than " + std::to_string(limits_.redirects_max) + " times");
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_LOGIN_DENIED:
      // Without a redirect: an answer that is not HTTP/1.
      if (status < 300 || status > 399) return broken();
      return fail(
          ErrorCode::invalid, "redirect_not_allowed",
          "the server redirects to a URL that is not http or https, is invalid, or contains "
          "a user");
    case CURLE_COULDNT_RESOLVE_HOST:
      return fail(ErrorCode::unavailable, "unresolvable", "the server's name cannot be resolved");
    case CURLE_COULDNT_CONNECT:
      if (!refused_.empty()) {
        return fail(ErrorCode::invalid, "address_not_allowed",
                    "the URL leads to " + refused_ +
                        ", a private or special address; set allow_private if that is "
                        "intended",
                    "url");
      }
      return fail(ErrorCode::unavailable, "unreachable", "cannot connect to the server");
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      return fail(ErrorCode::unavailable, "tls", "TLS with the server failed: " + why);
    case CURLE_OUT_OF_MEMORY:
      return fail(ErrorCode::unavailable, "out_of_memory", "not enough memory for the fetch");
    default:
      return broken();
  }
}

}  // namespace drover::triggers
