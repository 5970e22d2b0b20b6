#include "triggers/poll/curl_loop.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

namespace drover::triggers {
namespace {

// libcurl needs this once per process, before anything else.
bool is_ready() {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  return ready == CURLE_OK;
}

}  // namespace

Result<std::shared_ptr<CurlLoop>> CurlLoop::open(asio::any_io_executor loop) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return fail_errno("cannot wait for fetches", errno);
  CURLM* multi = is_ready() ? curl_multi_init() : nullptr;
  if (multi == nullptr) {
    ::close(epoll);
    return fail(ErrorCode::unavailable, "out_of_memory", "libcurl could not be initialized");
  }
  return std::shared_ptr<CurlLoop>(new CurlLoop(loop, multi, epoll));
}

CurlLoop::CurlLoop(const asio::any_io_executor& loop, CURLM* multi, int epoll)
    : multi_(multi), epoll_(loop, epoll), timer_(loop) {
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlLoop::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlLoop::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
}

CurlLoop::~CurlLoop() {
  curl_multi_cleanup(multi_);
}

Result<> CurlLoop::add(CURL* transfer, std::function<void(CURLcode)> done) {
  transfers_.emplace(transfer, std::move(done));
  if (const CURLMcode wrong = curl_multi_add_handle(multi_, transfer); wrong != CURLM_OK) {
    transfers_.erase(transfer);
    return fail(ErrorCode::unavailable, "fetch_failed", curl_multi_strerror(wrong));
  }
  if (!waiting_) wait_for_sockets();
  return {};
}

void CurlLoop::remove(CURL* transfer) {
  if (transfers_.erase(transfer) == 0) return;
  curl_multi_remove_handle(multi_, transfer);
  if (!transfers_.empty()) return;
  boost::system::error_code ignored;
  epoll_.cancel(ignored);
  timer_.cancel();
}

int CurlLoop::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
  const int epoll = static_cast<CurlLoop*>(self)->epoll_.native_handle();
  epoll_event event{};
  event.data.fd = socket;
  if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
  if (what == CURL_POLL_REMOVE) {
    ::epoll_ctl(epoll, EPOLL_CTL_DEL, socket, &event);  // May be closed already.
    return 0;
  }
  if (::epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event) == 0) return 0;
  return ::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) == 0 ? 0 : -1;
}

int CurlLoop::on_timer(CURLM*, long wait_ms, void* self) {
  auto& loop = *static_cast<CurlLoop*>(self);
  if (wait_ms < 0) {
    loop.timer_.cancel();
    return 0;
  }
  // Not at once, even for 0: libcurl must not be called from its own callback.
  loop.timer_.expires_after(std::chrono::milliseconds(wait_ms));
  loop.timer_.async_wait([weak = loop.weak_from_this()](boost::system::error_code canceled) {
    const auto kept = weak.lock();
    if (kept && !canceled) kept->act(CURL_SOCKET_TIMEOUT, 0);
  });
  return 0;
}

void CurlLoop::wait_for_sockets() {
  waiting_ = true;
  epoll_.async_wait(asio::posix::stream_descriptor::wait_read,
                    [weak = weak_from_this()](boost::system::error_code canceled) {
                      const auto kept = weak.lock();
                      if (!kept) return;
                      kept->waiting_ = false;
                      if (!canceled) kept->serve_sockets();
                      if (!kept->transfers_.empty() && !kept->waiting_) kept->wait_for_sockets();
                    });
}

void CurlLoop::serve_sockets() {
  std::array<epoll_event, 64> events{};
  const int count =
      ::epoll_wait(epoll_.native_handle(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<size_t>(i)];
    int what = 0;
    if ((event.events & EPOLLIN) != 0) what |= CURL_CSELECT_IN;
    if ((event.events & EPOLLOUT) != 0) what |= CURL_CSELECT_OUT;
    if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) what |= CURL_CSELECT_ERR;
    act(event.data.fd, what);
  }
}

void CurlLoop::act(curl_socket_t socket, int events) {
  int running = 0;
  curl_multi_socket_action(multi_, socket, events, &running);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const auto found = transfers_.find(message->easy_handle);
    if (found != transfers_.end()) found->second(message->data.result);
  }
}

}  // namespace drover::triggers
