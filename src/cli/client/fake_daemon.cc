#include "cli/client/fake_daemon.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/json/parse.hpp>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "cli/fields.h"
#include "cli/views/output.h"
#include "wire/frames.h"

namespace drover::cli {
namespace {

// Synchronizes a script with its test. They take turns through another process, which the thread
// sanitizer cannot see; this atomic counter orders their memory accesses.
void take_turns() {
  static std::atomic<int> turn = 0;
  turn.fetch_add(1);
}

std::string slurp(int fd) {
  std::string out;
  std::array<char, 65536> buffer;
  ::lseek(fd, 0, SEEK_SET);
  for (ssize_t got; (got = ::read(fd, buffer.data(), buffer.size())) > 0;) {
    out.append(buffer.data(), static_cast<size_t>(got));
  }
  return out;
}

Fd listen_at(const std::string& path) {
  ::unlink(path.c_str());
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof name.sun_path - 1);
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof name) != 0 ||
      ::listen(fd.get(), 16) != 0) {
    std::abort();
  }
  return fd;
}

// Reads the next request on a connection. False: the client has closed it.
bool read_request(int fd, std::string& buffer, ReceivedRequest& heard) {
  const auto more = [&] {
    std::array<char, 65536> piece;
    const ssize_t got = ::recv(fd, piece.data(), piece.size(), 0);
    if (got <= 0) return false;
    buffer.append(piece.data(), static_cast<size_t>(got));
    return true;
  };
  size_t end;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) return false;
  }
  const std::string head = buffer.substr(0, end + 2);
  buffer.erase(0, end + 4);
  size_t line = head.find("\r\n");
  const std::string first = head.substr(0, line);
  heard.method = first.substr(0, first.find(' '));
  heard.target = first.substr(heard.method.size() + 1, first.rfind(' ') - heard.method.size() - 1);
  for (line += 2; line < head.size();) {
    const size_t stop = head.find("\r\n", line);
    const size_t colon = head.find(':', line);
    std::string name = head.substr(line, colon - line);
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    heard.headers[name] = head.substr(colon + 2, stop - colon - 2);
    line = stop + 2;
  }
  const auto length = heard.headers.find("content-length");
  const size_t size = length == heard.headers.end() ? 0 : std::stoul(length->second);
  while (buffer.size() < size) {
    if (!more()) return false;
  }
  heard.body = buffer.substr(0, size);
  buffer.erase(0, size);
  return true;
}

}  // namespace

void Reply::bytes(std::string_view raw) {
  take_turns();
  while (!raw.empty()) {
    const ssize_t sent = ::send(fd_, raw.data(), raw.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    raw.remove_prefix(static_cast<size_t>(sent));
  }
}

void Reply::with_header(unsigned status, std::string_view header, std::string_view body) {
  std::string text = "HTTP/1.1 " + std::to_string(status) + " X\r\n";
  text.append(header).append("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  bytes(text.append(body));
}

void Reply::json(unsigned status, std::string_view body) {
  with_header(status, "Content-Type: application/json\r\n", body);
}

void Reply::error(unsigned status, std::string_view type, std::string_view code) {
  json(status, R"({"error":{"code":")" + std::string(code) + R"(","message":"because","type":")" +
                   std::string(type) + R"(","request_id":"r"}})");
}

void Reply::begin_stream() {
  const std::string media(frames_ ? wire::kFrames : "text/event-stream");
  bytes("HTTP/1.1 200 OK\r\nContent-Type: " + media + "\r\nTransfer-Encoding: chunked\r\n\r\n");
}

void Reply::chunk(std::string_view body) {
  std::array<char, 32> size;
  std::snprintf(size.data(), size.size(), "%zx\r\n", body.size());
  bytes(std::string(size.data()).append(body).append("\r\n"));
}

void Reply::frame(std::string_view id, std::string_view type, std::string_view data) {
  std::string text;
  if (type != "run.output") {
    text.append(id).append(" ").append(type).append(" ").append(data);
    std::string out;
    wire::append_frame(out, wire::FrameKind::event, 0, text);
    return chunk(out);
  }
  const boost::json::object piece = boost::json::parse(data).as_object();
  const std::string bytes = bytes_of(piece).value();
  const size_t dot = id.find('.');
  const std::uint64_t end =
      dot == std::string_view::npos ? 0 : std::stoull(std::string(id.substr(dot + 1)));
  // The offset may wrap around: a script chooses any id.
  wire::append_frame(text, wire::FrameKind::output, end - bytes.size(), bytes,
                     text_in(piece, "stream") == "stderr" ? 2 : 1);
  chunk(text);
}

void Reply::event(std::string_view id, std::string_view type, std::string_view data) {
  if (frames_) return frame(id, type, data);
  std::string text;
  if (!id.empty()) text.append("id: ").append(id).append("\n");
  chunk(text.append("event: ").append(type).append("\ndata: ").append(data).append("\n\n"));
}

void Reply::end_stream() {
  bytes("0\r\n\r\n");
}

FakeDaemon::FakeDaemon(Script script) : script_(std::move(script)) {
  std::string name = "/tmp/drover-cli-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  home_ = name;
  if (!make_private_directory(home_ + "/run")) std::abort();
  come_back();
}

FakeDaemon::~FakeDaemon() {
  go_away();
  {
    const std::lock_guard lock(mutex_);
    for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
  (void)remove_tree(home_);
}

void FakeDaemon::go_away() {
  if (!listener_) return;
  ::unlink(socket().c_str());
  ::shutdown(listener_.get(), SHUT_RDWR);
  listening_.join();
  listener_.close();
}

void FakeDaemon::come_back() {
  listener_ = listen_at(socket());
  listening_ = std::thread([this, fd = listener_.get()] { listen_loop(fd); });
}

void FakeDaemon::listen_loop(int listener) {
  for (int fd; (fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    const std::lock_guard lock(mutex_);
    open_.push_back(fd);
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

void FakeDaemon::serve(int fd) {
  std::string buffer;
  for (ReceivedRequest heard; read_request(fd, buffer, heard); heard = {}) {
    {
      const std::lock_guard lock(mutex_);
      heard_.push_back(heard);
    }
    changed_.notify_all();
    Reply reply(fd, heard.target.find("format=frames") != std::string::npos);
    take_turns();
    script_(heard, reply);
    take_turns();
    if (reply.was_cut()) break;
  }
  const std::lock_guard lock(mutex_);
  std::erase(open_, fd);
  ::close(fd);
}

size_t FakeDaemon::count(std::string_view method, std::string_view prefix) {
  const std::lock_guard lock(mutex_);
  return static_cast<size_t>(std::ranges::count_if(
      heard_, [&](const ReceivedRequest& h) { return h.is(method, prefix); }));
}

ReceivedRequest FakeDaemon::await(std::string_view method, std::string_view prefix, size_t count) {
  std::unique_lock lock(mutex_);
  ReceivedRequest last;
  changed_.wait(lock, [&] {
    size_t seen = 0;
    for (const ReceivedRequest& heard : heard_) {
      if (heard.is(method, prefix) && ++seen <= count) last = heard;
    }
    return seen >= count;
  });
  return last;
}

Program::Program(const std::vector<std::string>& words, const Setting& setting)
    : out_(::memfd_create("out", MFD_CLOEXEC)), err_(::memfd_create("err", MFD_CLOEXEC)) {
  const Fd in(::memfd_create("in", MFD_CLOEXEC));
  if (!write_all(in.get(), setting.input)) std::abort();
  ::lseek(in.get(), 0, SEEK_SET);
  std::vector<std::string> all{setting.program};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<std::string> variables{"DROVER_HOME=" + setting.home, "PATH=/usr/bin:/bin", "TZ=UTC"};
  variables.insert(variables.end(), setting.environment.begin(), setting.environment.end());
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
  };
  const std::vector<char*> argv = pointers(all);
  const std::vector<char*> envp = pointers(variables);
  take_turns();
  pid_ = ::fork();
  if (pid_ != 0) return;
  ::dup2(in.get(), 0);
  ::dup2(setting.out >= 0 ? setting.out : out_.get(), 1);
  ::dup2(err_.get(), 2);
  ::execve(argv[0], argv.data(), envp.data());
  ::_exit(99);
}

void Program::signal(int number) const {
  ::kill(pid_, number);
}

ProgramResult Program::wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  take_turns();
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return {code, slurp(out_.get()), slurp(err_.get())};
}

}  // namespace drover::cli
