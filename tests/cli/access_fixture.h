// The fixture for tests with tokens: a Drover that listens on its unix socket, and on a free TCP
// port.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstring>

#include "tests/harness.h"

namespace drover::tests {

struct Reply {
  int status = 0;
  std::string head;
  std::string body;

  std::string error() const {
    boost::system::error_code bad;
    const auto value = boost::json::parse(body, bad);
    if (bad || !value.is_object() || !value.get_object().contains("error")) return "";
    return std::string(value.at("error").at("code").as_string());
  }
  boost::json::object json() const { return boost::json::parse(body).as_object(); }
  // The value of a header; its name in the case in which it was sent.
  std::string header(const std::string& name) const {
    const size_t at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

struct HttpRequest {
  std::string method = "GET";
  std::string target;
  std::string token = {};
  std::string body = {};
  std::string headers = {};  // Lines that end in \r\n.
  std::string host = "127.0.0.1";
};

class Access : public ::testing::Test {
 protected:
  static std::string text(const HttpRequest& sent) {
    std::string out = sent.method + " " + sent.target + " HTTP/1.1\r\nHost: " + sent.host +
                      "\r\nConnection: close\r\n" + sent.headers;
    if (!sent.token.empty()) out += "Authorization: Bearer " + sent.token + "\r\n";
    if (!sent.body.empty()) {
      out +=
          "Content-Type: application/json\r\nContent-Length: " + std::to_string(sent.body.size()) +
          "\r\n";
    }
    return out + "\r\n" + sent.body;
  }
  static Reply read(const std::string& all) {
    Reply reply;
    if (all.size() < 12) return reply;
    reply.status = std::atoi(all.c_str() + 9);
    const size_t end = all.find("\r\n\r\n");
    reply.head = all.substr(0, end + 2);
    reply.body = all.substr(std::min(all.size(), end + 4));
    return reply;
  }

  Reply ask(const HttpRequest& sent) { return read(flock_.http(text(sent))); }

  // The same over TCP.
  Reply ask_tcp(const HttpRequest& sent) {
    const Fd socket = connect_tcp();
    const std::string request = text(sent);
    (void)!::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL);
    std::string all;
    char chunk[4096];
    for (ssize_t n = 0; (n = ::recv(socket.get(), chunk, sizeof chunk, 0)) > 0;) {
      all.append(chunk, static_cast<size_t>(n));
    }
    return read(all);
  }
  Fd connect_tcp() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port());
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return socket;
  }
  std::uint16_t port() {
    const std::string url = text_of(flock_.json({"status"}), "url");
    return static_cast<std::uint16_t>(std::atoi(url.c_str() + url.rfind(':') + 1));
  }

  std::string owner_token() {
    flock_.daemon();
    auto token = *read_file(flock_.home().owner_token(), 1000);
    token.pop_back();
    return token;
  }
  std::string token(const std::string& can, const std::string& scope = "",
                    const std::string& ttl = "1h") {
    std::vector<std::string> words{"token", "create", "--can", can, "--ttl", ttl};
    if (!scope.empty()) words.insert(words.end(), {"--scope", scope});
    return flock_.ok(words);
  }
  // A browser session's cookie and page key, as a page on this port sends them back.
  std::string log_in() {
    const std::string link = flock_.ok({"ui", "--no-open"});
    const Reply reply = ask_tcp({.target = link.substr(link.find("/login"))});
    EXPECT_EQ(reply.status, 303) << reply.body;
    const std::string cookie = reply.header("Set-Cookie");
    const std::string key = reply.header("Location");
    return "Cookie: " + cookie.substr(0, cookie.find(';')) +
           "\r\nDrover-Page-Key: " + key.substr(std::strlen("/#key=")) + "\r\n";
  }
  // Starts a run that waits; sets `token` to the run's own token.
  std::string run_with_token(std::string& token) {
    const std::string id =
        flock_.run("printf %s \"$DROVER_TOKEN\" > " + flock_.file("part") + "; mv " +
                   flock_.file("part") + " " + flock_.file("token") + "; sleep 1000");
    flock_.wait_for_file("token");
    token = *read_file(flock_.file("token"), 1000);
    return id;
  }

  Flock flock_;
};

}  // namespace drover::tests
