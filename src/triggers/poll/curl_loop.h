// A CurlLoop runs libcurl's transfers on the daemon's loop, without threads of ours. (libcurl looks
// up names on a thread of its own for each lookup.)
//
// libcurl says which sockets it waits for; they are in one epoll, and the loop waits for that
// epoll. A socket that libcurl closes leaves the epoll by itself, so no stale descriptor can be
// served.
//
// Lives on the loop; its owners are the Fetcher and each transfer in progress. While there are no
// transfers, it leaves nothing pending on the loop.
#pragma once

#include <curl/curl.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <unordered_map>

#include "base/result.h"

namespace drover::triggers {

namespace asio = boost::asio;

class CurlLoop : public std::enable_shared_from_this<CurlLoop> {
 public:
  static Result<std::shared_ptr<CurlLoop>> open(asio::any_io_executor loop);
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  // Starts the transfer. Calls `done` once, from the loop and never before `add` returns, unless
  // the transfer is removed first.
  Result<> add(CURL* transfer, std::function<void(CURLcode)> done);
  // Every added transfer must be removed, finished or not, before it is destroyed.
  void remove(CURL* transfer);

 private:
  CurlLoop(const asio::any_io_executor& loop, CURLM* multi, int epoll);

  static int on_socket(CURL* transfer, curl_socket_t socket, int what, void* self, void* known);
  static int on_timer(CURLM* multi, long wait_ms, void* self);
  void wait_for_sockets();
  void serve_sockets();
  void act(curl_socket_t socket, int events);

  CURLM* multi_;
  asio::posix::stream_descriptor epoll_;
  asio::steady_timer timer_;
  bool waiting_ = false;
  std::unordered_map<CURL*, std::function<void(CURLcode)>> transfers_;
};

}  // namespace drover::triggers
