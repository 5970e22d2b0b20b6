#include "api/http/tls.h"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstring>
#include <fstream>
#include <latch>
#include <memory>

#include "api/door_fixture.h"

namespace drover::api {
namespace {

template <class T, void (*Free)(T*)>
struct Freed {
  void operator()(T* t) const { Free(t); }
};
template <class T, void (*Free)(T*)>
using Own = std::unique_ptr<T, Freed<T, Free>>;

void make_certificate(const std::string& cert_path, const std::string& key_path) {
  const Own<EVP_PKEY, EVP_PKEY_free> key(EVP_EC_gen("P-256"));
  const Own<X509, X509_free> cert(X509_new());
  ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(cert.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(cert.get()), 3'600);
  X509_set_pubkey(cert.get(), key.get());
  X509_NAME* name = X509_get_subject_name(cert.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(cert.get(), name);
  X509_sign(cert.get(), key.get(), EVP_sha256());
  FILE* file = std::fopen(cert_path.c_str(), "w");
  PEM_write_X509(file, cert.get());
  std::fclose(file);
  file = std::fopen(key_path.c_str(), "w");
  PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
}

class TlsDoor : public Door {
 protected:
  TlsDoor() {
    make_certificate(cert_, key_);
    auto tls = Tls::open(cert_, key_);
    if (!tls) throw std::runtime_error(tls.error().message);
    tls_ = *tls;
    on_loop([&] {
      config::ListenAddress address;
      address.port = 0;
      EXPECT_TRUE(server_->listen_tcp(address, *tls));
      url_ = server_->services().tcp_url;
    });
    port_ = static_cast<std::uint16_t>(std::atoi(url_.c_str() + url_.rfind(':') + 1));
  }

  bool connect_to_port(const Fd& fd) const {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port_);
    const timeval limit{20, 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return ::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }

  // Sends one request and returns the whole answer.
  std::string ask_tls(const std::string& request) {
    const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!connect_to_port(fd)) return "";
    const Own<SSL_CTX, SSL_CTX_free> context(SSL_CTX_new(TLS_client_method()));
    const Own<SSL, SSL_free> ssl(SSL_new(context.get()));
    SSL_set_fd(ssl.get(), fd.get());
    if (SSL_connect(ssl.get()) != 1) return "no handshake";
    SSL_write(ssl.get(), request.data(), static_cast<int>(request.size()));
    std::string all;
    char piece[16 * 1024];
    for (int n = 0; (n = SSL_read(ssl.get(), piece, sizeof piece)) > 0;) {
      all.append(piece, static_cast<size_t>(n));
    }
    SSL_shutdown(ssl.get());
    return all;
  }
  std::string request(const std::string& target) const {
    return "GET " + target +
           " HTTP/1.1\r\nHost: drover.example\r\nConnection: close\r\nAuthorization: Bearer " +
           std::string(kOwnerToken) + "\r\n\r\n";
  }

  const std::string cert_ = directory_.file("cert.pem");
  const std::string key_ = directory_.file("key.pem");
  std::shared_ptr<Tls> tls_;
  std::string url_;
  std::uint16_t port_ = 0;
};

// Over TLS, requests are answered as elsewhere, under any host name; a long answer arrives
// complete.
TEST_F(TlsDoor, AnswersLikePlainHttp) {
  EXPECT_TRUE(url_.starts_with("https://127.0.0.1:")) << url_;
  EXPECT_TRUE(ask_tls(request("/api/status")).starts_with("HTTP/1.1 200 OK"));
  const std::string id = submit();
  start(id);
  const std::string line = std::string(999, 'x') + "\n";
  for (int i = 0; i < 2'000; ++i) print(id, Stream::out, line);
  const std::string all = ask_tls(request("/api/runs/" + id + "/logs"));
  EXPECT_EQ(all.size() - all.find("\r\n\r\n") - 4, 2'000'000u);
  eventually([&] { return server_->connections() == 0; });
}

// A handshake is computed beside the loop: it finishes even while the loop does something else.
TEST_F(TlsDoor, ShakesHandsBesideTheLoop) {
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  connect_to_port(fd);
  eventually([&] { return tls_->carried() == 1; });  // Accepted.
  const Own<SSL_CTX, SSL_CTX_free> context(SSL_CTX_new(TLS_client_method()));
  const Own<SSL, SSL_free> ssl(SSL_new(context.get()));
  SSL_set_fd(ssl.get(), fd.get());
  std::latch busy(1), shaken(1);
  asio::post(loop_, [&] {
    busy.count_down();
    shaken.wait();
  });
  busy.wait();
  EXPECT_EQ(SSL_connect(ssl.get()), 1);
  shaken.count_down();
  on_loop([] {});  // It does not use the latches any more.
  SSL_shutdown(ssl.get());
}

// A client that does not use TLS gets no answer.
TEST_F(TlsDoor, RefusesPlainHttp) {
  Client plain(port_);
  plain.send(request("/api/status"));
  EXPECT_EQ(plain.read_to_end().find("HTTP/"), std::string::npos);
  eventually([&] { return server_->connections() == 0; });
}

// S2: an unfinished handshake is aborted after a time, at any point: no bytes, half a record, a
// first message of an absurd length. Other clients do not wait for it.
TEST_F(TlsDoor, AbortsAnUnfinishedHandshake) {
  Client patient(port_);  // The default limit is longer than this test.
  eventually([&] { return server_->connections() == 1; });
  on_loop([&] { tls_->set_handshake_timeout(20); });
  for (const std::string_view said : {std::string_view(), std::string_view("\x16"),
                                      std::string_view("\x16\x03\x01\x02\x00\x01\x00\x01", 8)}) {
    Client slow(port_);
    slow.send(said);
    EXPECT_TRUE(slow.closed());
  }
  eventually([&] { return server_->connections() == 1; });
  on_loop([&] { tls_->set_handshake_timeout(limits::kStrangerMs); });
  EXPECT_TRUE(ask_tls(request("/healthz")).starts_with("HTTP/1.1 200 OK"));
  patient.hang_up();
  eventually([&] { return server_->connections() == 0; });
}

// S2: silent clients in a handshake have few places: the next one gets no handshake, or the place
// of one that had its turn. The owner's unix socket keeps working.
TEST_F(TlsDoor, SilentClientsAreFewAndGiveWay) {
  on_loop([&] { server_->services().descriptors_max = 48; });  // One handshake at a time.
  Client first(port_);
  eventually([&] { return tls_->carried() == 1; });
  EXPECT_TRUE(Client(port_).closed());
  EXPECT_EQ(on_loop([&] { return tls_->carried(); }), 1U);
  EXPECT_EQ(ask("GET", "/api/status").status, 200U);
  on_loop([&] { server_->services().stranger_turn_ms = 0; });
  EXPECT_TRUE(ask_tls(request("/api/status")).starts_with("HTTP/1.1 200 OK"));
  EXPECT_TRUE(first.closed());
  eventually([&] { return tls_->carried() == 0; });
  eventually([&] { return server_->connections() == 0; });
}

// Behind TLS the browser keeps the cookie of a session to this host, and no page key is needed.
TEST_F(TlsDoor, ASessionIsKeptToItsHost) {
  const std::string link(ask("POST", "/api/ui", "{}", "Content-Type: application/json\r\n")
                             .json()
                             .at("link")
                             .as_string());
  const auto get = [&](const std::string& target, const std::string& headers) {
    return ask_tls("GET " + target + " HTTP/1.1\r\nHost: drover.example\r\nConnection: close\r\n" +
                   headers + "\r\n");
  };
  const std::string login = get(link.substr(link.find("/login")), "");
  EXPECT_NE(login.find("\r\nLocation: /\r\n"), std::string::npos) << login;
  const size_t at = login.find("Set-Cookie: ") + std::strlen("Set-Cookie: ");
  const std::string cookie = login.substr(at, login.find("\r\n", at) - at);
  EXPECT_TRUE(cookie.starts_with("__Host-drover_session_")) << cookie;
  EXPECT_NE(cookie.find("; Secure"), std::string::npos) << cookie;
  const std::string session = "Cookie: " + cookie.substr(0, cookie.find(';')) + "\r\n";
  EXPECT_TRUE(get("/api/runs", session).starts_with("HTTP/1.1 200 OK"));
}

// The error names a file that is not a certificate or not a key.
TEST_F(TlsDoor, NamesAnUnusableFile) {
  std::ofstream(directory_.file("nonsense")) << "nonsense";
  for (const auto& [cert, key] :
       {std::pair(directory_.file("nothing"), key_), std::pair(cert_, directory_.file("nothing")),
        std::pair(directory_.file("nonsense"), key_),
        std::pair(cert_, directory_.file("nonsense"))}) {
    const auto tls = Tls::open(cert, key);
    ASSERT_FALSE(tls);
    EXPECT_EQ(tls.error().reason, "bad_tls");
    EXPECT_NE(tls.error().message.find("no"), std::string::npos);
  }
}

}  // namespace
}  // namespace drover::api
