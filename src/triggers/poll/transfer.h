// A Transfer is one HTTP(S) GET: a handle of libcurl with every rule of fetching set, and the
// judgement about how it finished.
//
// The address rule is asked about each address before a socket for it exists. So it holds for
// redirects, and for a name that has another address now than when it was checked. Proxies of the
// environment, .netrc, cookies, stored connections and stored TLS sessions are not used: the first
// would hide the real address from the rule, the others would let one trigger's fetch affect
// another's.
//
// Lives on the daemon's loop. libcurl has pointers to it, so it never moves.
#pragma once

#include <curl/curl.h>
#include <sys/socket.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "triggers/poll/fetch_url.h"
#include "triggers/poll/limits.h"

namespace drover::triggers {

struct FetchRequest {
  std::string url;
  // The validators of the copy that the caller has; empty: none. The answer may be `not_modified`.
  std::string etag = {};
  std::string last_modified = {};
  bool allow_private = false;  // Also addresses that the rule refuses.
};

struct Fetched {
  bool not_modified = false;  // 304: the caller's copy is current, and there is no body.
  std::string body = {};
  std::string etag = {};           // Empty: none, or too long to keep.
  std::string last_modified = {};  // Likewise.
  std::string content_type = {};
  std::string url = {};  // After redirects.
};

struct FetchLimits {
  size_t bytes_max = kFetchBytesMax;
  size_t header_bytes_max = kFetchHeaderBytesMax;
  long redirects_max = kFetchRedirectsMax;
  std::chrono::milliseconds time_max = kFetchTimeMax;
  std::chrono::milliseconds connect_time_max = kFetchConnectTimeMax;
  long bytes_per_second_min = kFetchBytesPerSecondMin;
  std::chrono::seconds slow_time_max = kFetchSlowTimeMax;
  size_t at_once_max = kFetchesMax;
  size_t per_host_max = kFetchesPerHostMax;
  size_t waiting_max = kFetchesWaitingMax;
};

// Whether a fetch may connect to this address.
using AddressRule = std::function<bool(const sockaddr&)>;

class Transfer {
 public:
  // `limits` and `rule` must outlive it.
  Transfer(const FetchUrl& url, const FetchRequest& request, const FetchLimits& limits,
           const AddressRule& rule);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // An error if libcurl refuses a setting.
  Result<CURL*> handle() const;
  // After libcurl has finished it with `code`. Reasons: see fetcher.h.
  Result<Fetched> finish(CURLcode code);

 private:
  void set_up(const FetchUrl& url, const FetchRequest& request);
  std::unexpected<Error> failed(CURLcode code) const;
  std::unexpected<Error> bad_status(long status) const;
  std::string header(const char* name, size_t bytes_max) const;

  static size_t on_body(char* bytes, size_t one, size_t count, void* self);
  static size_t on_header(char* bytes, size_t one, size_t count, void* self);
  static int on_progress(void* self, curl_off_t, curl_off_t received, curl_off_t, curl_off_t);
  static curl_socket_t on_socket(void* self, curlsocktype purpose, curl_sockaddr* address);

  const FetchLimits& limits_;
  const AddressRule& rule_;
  CURL* handle_;
  curl_slist* headers_ = nullptr;
  bool is_set_up_ = true;
  bool allow_private_;
  bool is_conditional_ = false;
  std::string body_;
  size_t header_bytes_ = 0;
  bool is_too_large_ = false;
  std::string refused_;  // The address that the rule refused, if it was the latest to be tried.
};

}  // namespace drover::triggers
