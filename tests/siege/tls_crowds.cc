// Crowds of clients of another user's daemon, over TCP with TLS: silent ones, ones that begin a
// handshake and never finish it, ones that speak something else.
#include <openssl/ssl.h>

#include <array>
#include <memory>
#include <vector>

#include "tests/siege/attack.h"
#include "tests/siege/connections.h"

namespace drover::siege {
namespace {

constexpr int kCrowdMax = 300;  // More than the daemon has places for strangers.

// The first message of a handshake: the daemon answers it with a signature.
std::string client_hello() {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  const std::unique_ptr<SSL, decltype(&SSL_free)> tls(SSL_new(context.get()), SSL_free);
  BIO* const sent = BIO_new(BIO_s_mem());
  SSL_set_bio(tls.get(), BIO_new(BIO_s_mem()), sent);  // It owns both.
  SSL_set_connect_state(tls.get());
  (void)SSL_do_handshake(tls.get());
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(sent, &bytes);
  return {bytes, static_cast<size_t>(size)};
}

void crowd(Target& target, tests::SeededRandom& random) {
  const std::uint16_t port = target.tls_port;
  const std::string hello = client_hello();
  const auto words = std::to_array<std::string>({
      "",
      hello,
      hello.substr(0, hello.size() / 2),
      "GET /api/runs HTTP/1.1\r\nHost: localhost\r\n\r\n",
      std::string("\x16\x03\x01\xff\xff\x01", 6) + std::string(20'000, 'x'),
  });
  std::vector<Fd> all;
  for (int left = 1 + random.below(kCrowdMax); left > 0; --left) {
    all.push_back(connect_to(port));
    say(all.back(), words[static_cast<size_t>(random.below(words.size()))]);
  }
  pause_ms(random.below(500));
}

constexpr auto kAll = std::to_array<Attack>({{"TLS crowd", crowd}});

}  // namespace

std::span<const Attack> tls_crowds() {
  return kAll;
}

}  // namespace drover::siege
